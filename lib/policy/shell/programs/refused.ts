import type { ProgramRule } from './rule.ts'

const LISTS: Readonly<Record<string, string>> = {
  'runs other programs; run them directly':
    'env sudo doas su runuser pkexec timeout gtimeout nice nohup stdbuf setsid ionice xargs parallel watch command-not-found busybox toybox ssh sshpass mosh rsh chroot unshare nsenter setpriv capsh taskset chrt numactl prlimit cgexec systemd-run firejail bwrap fakeroot faketime proot torsocks proxychains flock lockf script expect unbuffer rlwrap screen tmux dtach abduco entr watchexec nodemon chokidar at batch crontab strace ltrace gdb lldb valgrind perf time catchsegv ld.so start-stop-daemon su-exec gosu tini dumb-init choom uniqprog pipexec socat nc ncat netcat telnet ftp tftp npx bunx pnpx uvx pipx mise direnv asdf nix-shell nix distrobox toolbox ssh-agent dbus-run-session xvfb-run run-parts run-mailcap xdg-open open logger-exec aa-exec sg newgrp ip-netns cpulimit hyperfine',
  'runs code from its arguments or input; use a script that the list names':
    'zsh dash ash ksh mksh fish csh tcsh rbash pwsh powershell cmd rc elvish xonsh nu osascript expect wish tclsh gawk-profile m4 dc bc gdc irb pry ghci jshell php-cgi phpdbg lua luajit R Rscript julia octave scala groovy kotlin elixir iex erl sbcl clisp guile racket raku tclsh8 ocaml jjs rhino psql mysql mariadb sqlite3 mongosh redis-cli',
  'opens an editor or a pager that can run commands; use cat, head or sed -n':
    'vi vim nvim view vimdiff rvim ex ed red emacs nano pico micro joe mcedit less more most pg lesspipe man info apropos-x mail mailx mutt pine lynx w3m links elinks vipe vidir vigr vipw visudo',
  'changes what later commands do; run the command itself':
    'eval source . exec alias unalias export declare typeset local readonly unset set shopt trap hash enable builtin bind complete compgen compopt fc history let mapfile readarray read getopts coproc pushd popd dirs disown suspend logout return times ulimit umask caller jobs bg fg wait help-exec function',
}

/** Programs and builtins that never run, whatever the list says. */
export const REFUSED: Readonly<Record<string, ProgramRule>> = Object.fromEntries(
  Object.entries(LISTS).flatMap(([refused, list]) =>
    list.split(' ').map((name): [string, ProgramRule] => [name, { refused }]),
  ),
)
