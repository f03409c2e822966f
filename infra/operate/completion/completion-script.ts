/** Shells that a script is written for. */
export const SHELLS = ['bash', 'zsh'] as const
export type Shell = (typeof SHELLS)[number]

/** Where the commands of this folder are, and what runs them; absolute paths. */
export type Place = { node: string; command: string; folder: string }

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * The words up to the cursor go to the command, which prints what the last one may become, a line each, and `:files`
 * where the shell itself knows. npm is completed in this folder only, elsewhere as before.
 */
const bash = ({ node, command, folder }: Place): string => `
_backstop_npm_before=$(complete -p npm 2>/dev/null | sed -n 's/.* -F \\([^ ]*\\) .*/\\1/p')
[ "$_backstop_npm_before" = _backstop ] && _backstop_npm_before=
_backstop() {
  local begun line found word
  local -a words
  COMPREPLY=()
  if [ "$1" = npm ] && [[ "$PWD/" != ${quoted(`${folder}/`)}* ]]; then
    [ -n "$_backstop_npm_before" ] && "$_backstop_npm_before" "$@"
    return
  fi
  line=\${COMP_LINE:0:COMP_POINT}
  read -r -a words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=('')
  begun=\${words[\${#words[@]}-1]}
  # Bash breaks words at : and =, and replaces the last part alone.
  local kept=\${begun%"\${begun##*[:=]}"}
  while IFS= read -r found; do
    if [ "$found" = :files ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$begun")
    else
      COMPREPLY+=("\${found#"$kept"}")
    fi
  done < <(${quoted(node)} ${quoted(command)} --complete "\${words[@]}" 2>/dev/null)
}
complete -F _backstop npm backstop
`

const zsh = ({ node, command, folder }: Place): string => `
_backstop_npm_before=\${_comps[npm]:-}
[ "$_backstop_npm_before" = _backstop ] && _backstop_npm_before=
_backstop() {
  local -a found
  if [[ "$words[1]" == npm && "$PWD/" != ${quoted(`${folder}/`)}* ]]; then
    [[ -n "$_backstop_npm_before" ]] && "$_backstop_npm_before" "$@"
    return
  fi
  found=("\${(@f)$(${quoted(node)} ${quoted(command)} --complete "\${(@Q)words[1,CURRENT]}" 2>/dev/null)}")
  if [[ "\${found[1]}" == :files ]]; then _files; else compadd -Q -- "\${found[@]:#}"; fi
}
compdef _backstop npm backstop
`

/** A script to be evaluated by the shell. */
export const completionScript = (shell: Shell, place: Place): string =>
  (shell === 'bash' ? bash(place) : zsh(place)).trimStart()
