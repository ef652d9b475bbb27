//! `psmp completions`: what shells complete, from the commands themselves.

use crate::failure::Outcome;
use anyhow::Result;
use clap::Command;
use clap_complete::Shell;
use std::io::Write;

/// Names of planners have colons, at which bash breaks words, and several are separated by commas. So words are put
/// together before they are completed, and what bash has of them already is taken off the answers.
const WHOLE_NAMES_IN_BASH: &str = r#"
_psmp_whole_names() {
    local word at=0 place head="" words=()
    for place in "${!COMP_WORDS[@]}"; do
        word=${COMP_WORDS[place]}
        if ((place > 0)) && [[ $word == :* || ${COMP_WORDS[place - 1]} == *: ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        ((place == COMP_CWORD)) && at=$((${#words[@]} - 1))
    done
    local COMP_WORDS=("${words[@]}") COMP_CWORD=$at
    local whole=${words[at]}
    case ${words[at - 1]} in
        --planners | --beliefs | --families) [[ $whole == *,* ]] && head=${whole%,*},; ;;
    esac
    _psmp "$1" "${whole#"$head"}" "${words[at - 1]}"
    COMPREPLY=("${COMPREPLY[@]/#/"$head"}")
    if [[ $whole == *:* && $COMP_WORDBREAKS == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${whole%"${whole##*:}"}"}")
    fi
}

complete -F _psmp_whole_names -o bashdefault -o default psmp
"#;

/// Prints the script for a shell.
pub fn run(shell: Shell, mut command: Command) -> Result<Outcome> {
    // Into memory first: writing to a closed pipe, it would panic.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "psmp", &mut script);
    if shell == Shell::Bash {
        script.extend(WHOLE_NAMES_IN_BASH.as_bytes());
    }
    std::io::stdout().write_all(&script)?;
    Ok(Outcome::Done)
}
