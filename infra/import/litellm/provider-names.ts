/**
 * Providers of LiteLLM's whose name stands before a model and is no part of it, beside those that hosts.ts has. An
 * organisation may stand in the same place (`Qwen/Qwen3-8B`), so that only the list tells them apart.
 * @see https://github.com/BerriAI/litellm/blob/main/litellm/types/utils.py LlmProviders
 */
export const LITELLM_PROVIDERS: ReadonlySet<string> = new Set(
  (
    'a2a aiml aiohttp_openai amazon_nova anyscale apertis baseten bedrock_mantle charity_engine clarifai cometapi ' +
    'compactifai custom custom_openai databricks datarobot docker_model_runner empower galadriel gigachat gradient_ai ' +
    'helicone heroku inception infinity langflow langgraph lemonade libertai maritalk meta nano-gpt neosantara ' +
    'oobabooga openai_like ovhcloud parasail pinstripes poe publicai ragflow sap scaleway synthetic tencent tensormesh ' +
    'wandb xiaomi_mimo xinference'
  ).split(' '),
)
