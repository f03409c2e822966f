import type { Template } from 'aws-cdk-lib/assertions'

export type DashboardWidget = {
  type: string
  x: number
  y: number
  width: number
  height: number
  properties: { title?: string; metrics?: unknown[][]; query?: string; endpoint?: string }
}

type Joined = { 'Fn::Join': [string, (string | object)[]] }

/** The dashboard's widgets, as the template has them; a reference inside becomes its JSON, without quotes. */
export function dashboardWidgets(template: Template): DashboardWidget[] {
  const [found] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'))
  const body = found?.['Properties'].DashboardBody as string | Joined
  const text =
    typeof body === 'string'
      ? body
      : body['Fn::Join'][1]
          .map(part => (typeof part === 'string' ? part : JSON.stringify(part).replaceAll('"', "'")))
          .join('')
  return (JSON.parse(text) as { widgets: DashboardWidget[] }).widgets
}
