package token

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/diag"
)

func TestToken(t *testing.T) {
	written, used := diag.Pos{File: "a", Line: 1, Col: 2}, diag.Pos{File: "b", Line: 3, Col: 4}
	tk := Token{Kind: Punct, Text: "+", Pos: written}
	require.Equal(t, written, tk.At())
	tk.Use = used
	require.Equal(t, used, tk.At())
	require.True(t, tk.Is("+"))
	require.False(t, tk.Is("-"))
	require.False(t, Token{Kind: String, Text: "+"}.Is("+"))
}

func TestKindString(t *testing.T) {
	require.Equal(t, "EOF", EOF.String())
	require.Equal(t, "Pragma", Pragma.String())
	require.Equal(t, "Kind?", (Pragma + 1).String())
}
