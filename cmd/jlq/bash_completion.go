package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// bashWords stands in for two functions of the package bash-completion, which
// many containers and servers do not have. The words are those of bash, joined
// again where it broke them at = and : and so without a blank between.
const bashWords = `__jlq_words()
{
    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i word line=${COMP_LINE:0:COMP_POINT} blank=yes
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i == COMP_CWORD)); then
            word=$line
        fi
        if [[ -n $blank ]]; then
            words+=("$word")
        else
            words[${#words[@]}-1]+=$word
        fi
        line=${line#"$word"}
        blank=${line%%[! 	]*}
        line=${line#"$blank"}
    done
    cword=$((${#words[@]} - 1))
    cur=${words[cword]} prev=${words[cword - 1]}
}

__jlq_filedir()
{
    if declare -F _filedir >/dev/null 2>&1; then
        _filedir "$@"
        return
    fi
    local name ending=${1%|} IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=()
    for name in $(compgen -f -- "$cur"); do
        if [[ -d $name || -z $ending || $ending != -d && $name =~ \.($ending)$ ]]; then
            COMPREPLY+=("$name")
        fi
    done
}

`

// bashCompletion is cobra's, but for the @ of times and ids, where bash would
// break words, and for what it needs of the package bash-completion.
func bashCompletion(root *cobra.Command, w io.Writer) error {
	var script bytes.Buffer
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	head, rest, _ := strings.Cut(script.String(), "\n\n")
	own := strings.NewReplacer("_get_comp_words_by_ref", "__jlq_words", "_filedir", "__jlq_filedir")
	_, err := io.WriteString(w, head+"\n\nCOMP_WORDBREAKS=${COMP_WORDBREAKS//@/}\n\n"+bashWords+own.Replace(rest))
	return err
}
