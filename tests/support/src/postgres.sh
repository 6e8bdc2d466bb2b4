# One throw-away PostgreSQL server, alive as long as standard input is open.
#
#   sh -c "$(cat postgres.sh)" postgres.sh BINARIES SUPERUSER
#
# Prints `ready FOLDER` (the folder of the server's socket) when the server accepts connections; anything else it
# prints is why there is none. At the end of input it stops the server and removes the folder.
#
# Why a process of its own, bound by a pipe: the kernel closes the pipe however the test process ends, by return,
# panic, abort or kill -9, whereas code inside that process runs only in the first two cases.
set -eu
binaries=$1
superuser=$2

# The folder, if it can take four gigabytes.
roomy() {
    df -Pk "$1" 2>/dev/null | awk -v folder="$1" 'NR == 2 && $4 >= 4 * 1024 * 1024 { print folder }'
}

# Each test has a database of a thousand files, which cost a disk more than what is in them: where there is room, they
# lie in memory. The temporary folder of the caller may be closed to the user this runs as.
for place in $(roomy /dev/shm) "${TMPDIR:-/tmp}" /tmp; do
    folder=$(mktemp -d "$place/herdbook-postgres.XXXXXX" 2>/dev/null) && break
done
[ -n "$folder" ] || { echo 'there is no temporary folder' && exit 1; }
data=$folder/data

server=

finish() {
    trap - EXIT HUP INT TERM
    # SIGQUIT: at once, without a checkpoint and without waiting for clients; nothing in it is to be kept. The server
    # is waited for, so that it is gone for good also where nobody reaps orphans, as in many containers.
    if [ -n "$server" ]; then
        kill -QUIT "$server" 2>/dev/null || true
        wait "$server" || true
    fi
    rm -rf "$folder"
}
trap finish EXIT
trap exit HUP INT TERM
# Without this, saying `ready` to a test process that is already gone would end this one, and leave the server behind.
trap '' PIPE

create() {
    "$binaries/initdb" -D "$data" -U "$superuser" -A trust -E UTF8 --locale="$1" --no-sync >"$folder/log" 2>&1
}
# C.UTF-8 knows the case of letters beyond ASCII; not every system has it.
create C.UTF-8 || { rm -rf "$data" && create C; } || { cat "$folder/log" && exit 1; }

# The socket lies in a folder that only this user may enter, and no port is opened: nothing to collide with, nobody
# else to let in.
cat >>"$data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$folder'
max_connections = 300
fsync = off
synchronous_commit = off
full_page_writes = off
timezone = 'UTC'
CONF

"$binaries/postgres" -D "$data" </dev/null >"$folder/log" 2>&1 &
server=$!
# The eighth line of this file is the server's own word on its state.
until [ "$(sed -n '8s/ *$//p' "$data/postmaster.pid" 2>/dev/null)" = ready ]; do
    kill -0 "$server" 2>/dev/null || { cat "$folder/log" && exit 1; }
    sleep 0.02
done

echo "ready $folder"
while read -r ignored; do :; done
