import type { ProgramRule } from './rule.ts'

const LISTS: Readonly<Record<string, string>> = {
  'it runs other programs; run them directly':
    'env sudo doas su runuser pkexec sg newgrp timeout gtimeout nice nohup stdbuf setsid ionice time watch busybox toybox ssh sshpass mosh rsh rlogin chroot unshare nsenter setpriv setarch capsh taskset chrt numactl prlimit choom cpulimit cgexec systemd-run start-stop-daemon service firejail bwrap fakeroot faketime proot torsocks torify proxychains flock script unbuffer rlwrap screen tmux dtach abduco entr watchexec nodemon at batch crontab strace ltrace gdb lldb valgrind perf hyperfine gosu su-exec tini dumb-init socat nc ncat netcat telnet ftp tftp bunx pnpx uvx pipx mise direnv asdf nix nix-shell distrobox toolbox ssh-agent dbus-run-session xvfb-run run-parts run-mailcap xdg-open open aa-exec logsave multitime pexec cross-env dotenv dotenvx env-cmd c8 nyc concurrently start-server-and-test cpio setlock catchsegv tmate lftp rpmbuild systemd-nspawn machinectl run0 systemd-cat systemd-inhibit systemd-mount systemd-socket-activate linux32 linux64 i386 x86_64 uname26 uclampset fakeroot-tcp fakeroot-sysv memusage mtrace ldd ld.so sotruss gprofng heaptrack rr uftrace kcov valgrind.bin deb-systemd-invoke invoke-rc.d debconf debconf-apt-progress dpkg-buildpackage debuild pg_virtualenv scriptlive corepack docker-compose podman-compose vagrant pssh parallel-ssh pdsh ssh-argv0 ssh-add dbus-launch chronic ifne pee lckdo zrun mispipe daemonize daemon trickle tsocks sem xterm rxvt urxvt konsole gnome-terminal alacritty kitty wezterm foot sudoedit scalar git-shell sshuttle ssh-copy-id sshfs wg-quick aws-vault chamber doppler infisical',
  'it runs a program on names that it reads, which cannot be judged; use grep -r or a glob, or name the files':
    'xargs gxargs parallel',
  'it runs code from its arguments or input; use a script that the list names':
    'zsh dash ash ksh mksh fish csh tcsh rbash pwsh powershell cmd rc elvish xonsh nu osascript expect wish tclsh m4 dc bc irb pry ghci jshell php-cgi phpdbg lua luajit R Rscript julia octave scala groovy kotlin elixir iex erl sbcl clisp guile racket raku ocaml jjs psql mysql mariadb sqlite3 mongosh redis-cli rake ansible ansible-console ansible-playbook terraform yash posh ts-node-dev vite-node esno babel-node runghc dotnet-script csi fsi clojure gnuplot maxima cowsay cowthink bpftrace msgfilter msgexec slsh ipython bpython ptpython jupyter pydoc pdb idle isympy prove jrunscript jdb lli swift dart zig hy bb nim crystal stack cabal sbt tcc runhaskell qjs micropython rust-gdb rust-lldb gdbtui gdb-add-index rename prename file-rename',
  'it opens an editor or a pager that can run commands; use cat, head or sed -n':
    'vi vim nvim view vimdiff rview rvim ex ed red emacs nano pico micro joe mcedit less more most pg man info mail mailx mutt pine lynx w3m links elinks vipe vidir vigr vipw visudo vim.basic vim.tiny vim.nox vim.gtk3 vimtutor editor pager sensible-editor sensible-pager sensible-browser select-editor zless zmore bzless bzmore xzless xzmore lzless lzmore zstdless perldoc',
  'it changes what later commands do; run the command itself':
    'eval source . exec alias unalias export declare typeset local readonly unset set shopt trap hash enable builtin bind complete compgen compopt fc history let mapfile readarray read getopts pushd popd dirs chdir disown suspend logout return ulimit umask jobs bg fg wait setopt unsetopt autoload zmodload',
}

/** Programs and builtins that never run, whatever the list says. */
export const REFUSED: Readonly<Record<string, ProgramRule>> = Object.fromEntries(
  Object.entries(LISTS).flatMap(([refused, list]) =>
    list.split(' ').map((name): [string, ProgramRule] => [name, { refused }]),
  ),
)
