const UNMADE: Readonly<Record<string, string>> = {
  CREATE_IN_PROGRESS: 'is being deployed for the first time. Try again when that has ended',
  REVIEW_IN_PROGRESS: 'has a change set, but was never deployed. Deploy it: npx cdk deploy',
  ROLLBACK_IN_PROGRESS:
    'is being rolled back, because its first deploy failed. What failed stands in the CloudFormation console, under Events',
  ROLLBACK_COMPLETE:
    'was rolled back, because its first deploy failed. What failed stands in the CloudFormation console, under Events; then deploy it again: npx cdk deploy',
  DELETE_IN_PROGRESS: 'is being deleted',
  DELETE_COMPLETE: 'was deleted. Deploy it again: npx cdk deploy',
}

/** Why a stack has nothing to operate: a clause behind its name; null where it has. */
export function notDeployed(status: string, outputs: number): string | null {
  if (status === 'DELETE_COMPLETE' || outputs === 0)
    return (
      UNMADE[status] ?? (status.endsWith('_COMPLETE') ? null : 'is not deployed. Deploy it: npx cdk deploy')
    )
  return null
}

/** What to know of a stack that can be operated, but that is changing, or in trouble; null = nothing. */
export function stackNotice(name: string, status: string): string | null {
  if (status === 'DELETE_IN_PROGRESS' || status === 'DELETE_FAILED')
    return `Note: the stack '${name}' is being deleted (${status}). Its table and its secret remain.`
  if (status.endsWith('FAILED'))
    return `Note: the last change of the stack '${name}' failed (${status}). Its gateway may be of two versions; see Events in the CloudFormation console.`
  if (status.endsWith('IN_PROGRESS'))
    return `Note: the stack '${name}' is being changed (${status}). Its gateway may restart with another configuration.`
  return null
}
