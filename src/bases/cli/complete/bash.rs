//! The script for bash. Unlike clap's, it passes words on as a whole: bash splits `style=short`
//! and `std:panel` at the sign.

use std::{ffi::OsString, io, path::Path};

use clap::Command;
use clap_complete::env::{Bash as Inner, EnvCompleter};

#[derive(Clone, Copy, Debug)]
pub(super) struct Bash;

/// Words that no space separates belong together. What bash has split off is removed from the
/// candidates again, because bash replaces only the last part. Candidates are quoted: a file may
/// have the name of a command.
const SCRIPT: &str = r#"_BIN_complete() {
    local line="${COMP_LINE:0:COMP_POINT}" words=() breaks='' i rest word quoted kept=''
    for ((i = 0; i <= COMP_CWORD; i++)); do
        rest="${line#"${line%%[![:space:]]*}"}"
        word="${COMP_WORDS[i]}"
        [[ $i == "$COMP_CWORD" ]] && word="$rest"
        if [[ $i != 0 && -n $word && $rest == "$line" ]]; then
            words[${#words[@]} - 1]+="$word"
        else
            words+=("$word")
        fi
        line="${rest#"$word"}"
    done
    word="${words[${#words[@]} - 1]}"
    [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
    [[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
    [[ -n $breaks && $word == *[$breaks]* ]] && kept="${word%"${word##*[$breaks]}"}"
    COMPREPLY=()
    while IFS= read -r word || [[ -n $word ]]; do
        printf -v quoted '%q' "${word#"$kept"}"
        COMPREPLY+=("$quoted")
    done < <(VAR=bash _CLAP_COMPLETE_INDEX=$((${#words[@]} - 1)) "COMPLETER" -- "${words[@]}" 2> /dev/null)
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=/:.] ]]; then
        compopt -o nospace 2> /dev/null
    fi
}
complete -o bashdefault -o nosort -F _BIN_complete BIN 2> /dev/null ||
    complete -o bashdefault -F _BIN_complete BIN
"#;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        Inner.name()
    }

    fn is(&self, name: &str) -> bool {
        Inner.is(name)
    }

    fn write_registration(
        &self,
        var: &str,
        _name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn io::Write,
    ) -> Result<(), io::Error> {
        let script = SCRIPT.replace("BIN", bin).replace("VAR", var);
        buf.write_all(script.replace("COMPLETER", completer).as_bytes())
    }

    fn write_complete(
        &self,
        line: &mut Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        buf: &mut dyn io::Write,
    ) -> Result<(), io::Error> {
        Inner.write_complete(line, words, folder, buf)
    }
}
