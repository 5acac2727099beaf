package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// helpColumns bounds the width of help texts.
const helpColumns = 100

// limitWidth makes the help of root and its commands no wider than helpColumns.
func limitWidth(root *cobra.Command) {
	wrapped := fmt.Sprintf(".FlagUsagesWrapped %d | trim", helpColumns)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages | trim", wrapped))
}

// entry is a line of a list in a help text, "  name  text", wrapped and indented.
func entry(name string, width int, text string) string {
	return hanging(fmt.Sprintf("  %-*s ", width, name), text)
}

// hanging is text after a first word or words, with all further lines below the text's first.
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
