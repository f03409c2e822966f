import { QueryDefinition, QueryString, type ILogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'

/** As many as fit a line; `npm run why` shows them all. */
const SHOWN_ATTEMPTS = [0, 1, 2, 3]

const QUERIES: Readonly<Record<string, { title: string; query: QueryString }>> = {
  SlowestRequests: {
    title: 'slowest requests',
    query: new QueryString({
      filterStatements: ['event = "request-completed"'],
      fields: [
        '@timestamp',
        'requestId',
        'alias',
        'servedBy',
        'outcome',
        'durationMs',
        'firstTokenMs',
        'overheadMs',
      ],
      sort: 'durationMs desc',
      limit: 50,
    }),
  },
  RequestAttempts: {
    title: "one request's attempts",
    query: new QueryString({
      filterStatements: ['event = "request-completed" and requestId = "put the x-request-id here"'],
      fields: [
        '@timestamp',
        'alias',
        'outcome',
        'status',
        ...SHOWN_ATTEMPTS.flatMap(index =>
          ['endpoint', 'outcome', 'status', 'durationMs'].map(field => `attempts.${index}.${field}`),
        ),
      ],
      limit: 20,
    }),
  },
  FailingEndpoints: {
    title: 'top failing endpoints',
    query: new QueryString({
      filterStatements: ['event = "attempts-failed"'],
      statsStatements: ['sum(AttemptFailures) as failures by endpoint, kind'],
      sort: 'failures desc',
      limit: 25,
    }),
  },
  Refusals: {
    title: 'refusals by client',
    query: new QueryString({
      filterStatements: ['event = "request-rejected" and ispresent(caller)'],
      statsStatements: ['count(*) as refusals by caller, code'],
      sort: 'refusals desc',
      limit: 50,
    }),
  },
}

/** The questions that are asked of the gateway's log again and again, saved under a folder of its name. */
export function saveQueries(scope: Construct, folder: string, logGroup: ILogGroup): void {
  for (const [id, { title, query }] of Object.entries(QUERIES)) {
    void new QueryDefinition(scope, id, {
      queryDefinitionName: `${folder}/${title}`,
      queryString: query,
      logGroups: [logGroup],
    })
  }
}
