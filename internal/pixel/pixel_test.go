package pixel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFormats(t *testing.T) {
	good := 0
	for o := R - 1; o <= Depth+1; o++ {
		for k := SNorm8 - 1; k <= Float+1; k++ {
			f := Format{o, k}
			if f.Check() != nil {
				require.NotEmpty(t, f.String())
				continue
			}
			good++
			again, err := Parse(f.String())
			require.NoError(t, err, f)
			require.Equal(t, f, again)
			size := f.Size()
			require.Contains(t, []int{1, 2, 4, 8, 16}, size, f)
			read, written := f.Fields()
			wrote := 0
			for i := range 4 {
				require.LessOrEqual(t, read[i].Shift+read[i].Bits, 8*size, f)
				if written[i] {
					require.Positive(t, read[i].Bits, f)
					wrote++
				}
			}
			require.Positive(t, wrote, f)
		}
	}
	require.Equal(t, 100, good)
}

func TestFields(t *testing.T) {
	for text, want := range map[string][4]Field{
		"rgb,unorm565":      {{11, 5}, {5, 6}, {0, 5}, {}},
		"rgbx,unorm555":     {{10, 5}, {5, 5}, {0, 5}, {}},
		"rgb,unorm101010":   {{20, 10}, {10, 10}, {0, 10}, {}},
		"bgra,unorm8":       {{16, 8}, {8, 8}, {0, 8}, {24, 8}},
		"argb,snorm8":       {{8, 8}, {16, 8}, {24, 8}, {0, 8}},
		"ra,half":           {{0, 16}, {}, {}, {16, 16}},
		"rx,uint8":          {{0, 8}, {}, {}, {}},
		"a,float":           {{}, {}, {}, {0, 32}},
		"intensity,unorm16": {{0, 16}, {0, 16}, {0, 16}, {0, 16}},
		"luminance,float":   {{0, 32}, {0, 32}, {0, 32}, {}},
	} {
		f, err := Parse(text)
		require.NoError(t, err, text)
		read, _ := f.Fields()
		require.Equal(t, want, read, text)
	}
}
