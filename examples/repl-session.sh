#!/bin/sh
# A session at the prompt, from a question to a saved script that checks, as tmux records it:
#
#   examples/repl-session.sh [FOLDER]
#
# Each screen is written to FOLDER/N.txt, with its colours, and the script to FOLDER/found.svc.
# It needs tmux, `svc` on the path, and this repository as the current folder.
set -eu

for needed in svc tmux; do
    command -v "$needed" > /dev/null || { echo "$needed is not on the path" >&2; exit 1; }
done
socket=svc-session-$$
folder=${1:-target/repl-session}
mkdir -p "$folder"
rm -f "$folder"/*.txt "$folder/found.svc"
folder=$(cd "$folder" && pwd)
export SVC_HISTORY="$folder/history" SVC_STORE="$folder/runs.db"

tmux -L "$socket" -f /dev/null new-session -d -x 100 -y 32 -s it svc repl
trap 'tmux -L "$socket" kill-server 2>/dev/null || true' EXIT

# Waits until the screen shows something.
sees() {
    tries=0
    until tmux -L "$socket" capture-pane -p -t it 2>/dev/null | grep -qF -- "$1"; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || { echo "not seen: $1" >&2; exit 1; }
        sleep 0.1
    done
}

keys() { tmux -L "$socket" send-keys -t it "$@"; }

count=0
shot() {
    count=$((count + 1))
    tmux -L "$socket" capture-pane -e -p -t it > "$folder/$count.txt"
}

sees 'svc>'
keys 'search("how are budgets enforced?", source: "docs") >> '
sees '# [Hit; max 10]'
shot
keys Tab
sees 'rag_retrieval  -> [Hit; max top_k]'
shot
keys 'rag_ret' Tab
sees '>> rag_retrieval'
keys Enter
sees 'ans: [Hit; max 5]'
shot
keys '>> summary(max_sentences: ' ; sees 'max_sentences: int'
shot
keys '3)' Enter
sees 'ans: Summary'
shot
keys '>> sumary' Enter
sees 'did you mean'
shot
keys ':bounds' Enter
sees 'at most'
keys 'let marks = { by: { name: "ada", tags: ["a", "b"] }, points: [[1, 2], [3]] }' Enter
sees 'marks: {'
shot
keys 'search("how are budgets enforced?", source: "docs") >> rag_retrieval >> summary' Enter
sees 'ans: Summary'
keys ":save $folder/found.svc" Enter
sees 'it checks'
shot
keys C-d
sleep 0.5
svc check "$folder/found.svc"
echo "$count screens in $folder"
