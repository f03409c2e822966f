/** The environment variable that holds a provider's keys: `llama.cpp` → `LLAMA_CPP_API_KEY`. */
export function providerKeyVariable(provider: string): string {
  return `${provider.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_API_KEY`
}
