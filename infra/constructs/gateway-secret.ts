import { RemovalPolicy, Validations } from 'aws-cdk-lib'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'

/** All keys of the gateway: one secret with a client key of its own making, which outlives its stack. */
export class GatewaySecret extends Construct {
  readonly secret: Secret

  constructor(scope: Construct, id: string) {
    super(scope, id)
    this.secret = new Secret(this, 'Secret', {
      description: 'Client and provider keys of Backstop; edit the values, keep the shape',
      // Never change this block: CloudFormation would generate the secret anew, and wipe the keys in it.
      generateSecretString: {
        secretStringTemplate: '{"clients":{},"providers":{}}',
        generateStringKey: 'defaultClientKey',
        passwordLength: 40,
        excludePunctuation: true,
      },
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
    Validations.of(this.secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'Provider keys are issued by providers, who offer no rotation that a Lambda could call; the README tells how to rotate by hand.',
    })
  }
}
