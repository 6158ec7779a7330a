# What nbterm's shell kernel reads before the first cell. @IN@ is where cells read from,
# always at its end; @OUT@ takes reports, each ended by a NUL; @ANSWERS@ brings lines for
# read; @ERR@ is what cells know as 2, while the shell's own 2 (prompts, the newline of an
# interrupt) goes nowhere. The first background job hangs up when nbterm is gone; it lives to
# kill only where nbterm was started by nohup and all ignore the hang-up.
PS1= PS2=
unset HISTFILE
set +m
( ( IFS= read -r _ <&6; kill -HUP 0; kill -KILL 0 ) 3<&- 4>&- 5<&- </dev/null >/dev/null 2>&1 & )
exec 6<&-
exec @IN@<&3 @OUT@>&4 @ANSWERS@<&5 @ERR@>&2 2>/dev/null 3<&- 4>&- 5<&-

__nbterm_eof=$(printf '\004')
__nbterm_asked=0 __nbterm_cell=0 __nbterm_ask=

__nbterm_begin() {
  __nbterm_cell=$1 __nbterm_ask=$2
  printf 'began %s\0' "$1" >&@OUT@
}

# The status is kept: it may be a cell's, not reported yet.
__nbterm_folder() {
  set -- "$?" "$1"
  { printf 'folder %s ' "$2"; command pwd -P || :; printf '\0'; } >&@OUT@
  return "$1"
}

__nbterm_end() { printf 'end %s %s\0' "$1" "$2" >&@OUT@; }

# read asks the user where it would read what cells read from, and somebody can answer.
read() {
  if [ -n "${__nbterm_ask-}" ] && [ /dev/fd/0 -ef /dev/fd/@IN@ ]; then
    __nbterm_read "$@"
  else
    command read "$@"
  fi
}

__nbterm_read() {
  local OPTIND=1 OPTARG= __nbterm_o= __nbterm_p= __nbterm_s=0 __nbterm_l=
  while getopts :a:d:ei:n:N:p:rst:u: __nbterm_o; do
    case $__nbterm_o in
      p) __nbterm_p=$OPTARG ;;
      s) __nbterm_s=1 ;;
      u) command read "$@"; return ;;
    esac
  done
  __nbterm_asked=$((__nbterm_asked + 1))
  printf 'ask %s %s %s\0' "$__nbterm_cell.$__nbterm_asked" "$__nbterm_s" "$__nbterm_p" >&@OUT@
  while IFS= command read -r __nbterm_l <&@ANSWERS@; do
    case $__nbterm_l in "$__nbterm_cell.$__nbterm_asked "*) break ;; esac
  done
  __nbterm_l=${__nbterm_l#* }
  if [ "$__nbterm_l" = "$__nbterm_eof" ]; then
    command read "$@" </dev/null
  else
    command read "$@" <<__NBTERM_LINE
$__nbterm_l
__NBTERM_LINE
  fi
}
