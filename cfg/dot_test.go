package cfg_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
)

func TestWriteDOT(t *testing.T) {
	g := cfg.NewGraph([][]int{{1}, {2, 1}, {}})
	var s strings.Builder
	err := g.WriteDOT(&s, cfg.DOT{
		Name:   "f",
		Label:  func(b int) string { return []string{"entry:\n  x = \"1\"", "loop", "exit"}[b] },
		Edge:   func(b, i int) string { return []string{"", "then", "else"}[(b*2+i)%3] },
		Attrs:  func(b int) string { return []string{"", "", "color=red"}[b] },
		Cycles: cfg.Cycles(g),
		Legend: []cfg.LegendEntry{{Text: "a \"red\" one", Attrs: "color=red"}, {Text: "plain"}},
	})
	require.NoError(t, err)
	require.Equal(t, `digraph "f" {
  node [shape=box, fontname=monospace];
  b0 [label="entry:\l  x = \"1\"\l"];
  b2 [label="exit", color=red];
  subgraph cluster_0 {
    b1 [label="loop"];
  }
  b0 -> b1;
  b1 -> b2 [label="else"];
  b1 -> b1 [style=bold];
  subgraph cluster_legend {
    label=legend;
    legend0 [label="a \"red\" one", color=red];
    legend1 [label="plain"];
  }
}
`, s.String())
}
