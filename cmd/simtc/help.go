package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// helpColumns is the maximum width of help texts.
const helpColumns = 100

// limitWidth wraps the help of root and its commands at helpColumns.
func limitWidth(root *cobra.Command) {
	wrapped := fmt.Sprintf(".FlagUsagesWrapped %d | trim", helpColumns)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages | trim", wrapped))
}

// entry formats an entry of a list in a help text, "  name  text", wrapped with a hanging indent.
func entry(name string, width int, text string) string {
	return hanging(fmt.Sprintf("  %-*s ", width, name), text)
}

// hanging formats text after a prefix, with a hanging indent of the prefix's length.
func hanging(first, text string) string {
	var b strings.Builder
	b.WriteString(first)
	at := len(first)
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && at+1+len(word) > helpColumns:
			b.WriteString("\n" + strings.Repeat(" ", len(first)))
			at = len(first)
		case i > 0:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}
