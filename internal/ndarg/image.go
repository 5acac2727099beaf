package ndarg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/internal/pixel"
)

// ImageSpec describes an image except its texels, which are stored without gaps.
type ImageSpec struct {
	Type                         string // the OpenCL C type, such as "image2d_t"
	Width, Height, Depth, Layers int
	Format                       pixel.Format
}

// imageSizes names the dimensions of each image type.
var imageSizes = map[string]string{
	"image1d": "W", "image1d_buffer": "W", "image1d_array": "WxLAYERS", "image2d": "WxH", "image2d_array": "WxHxLAYERS",
	"image2d_depth": "WxH", "image2d_array_depth": "WxHxLAYERS", "image3d": "WxHxD",
}

// channelElems gives the element types used to fill and sum channels.
var channelElems = map[pixel.Number][3]Elem{
	pixel.Norm: {UChar, UShort, UInt}, pixel.Integer: {UChar, UShort, UInt}, pixel.Floating: {UChar, Half, Float},
}

// image parses FORMAT:SIZES[:FILL][:FLAGS].
func (a *Arg) image(name, text string) error {
	a.Kind = Image
	words := strings.SplitN(text, ":", 3)
	sizes := imageSizes[name]
	if len(words) < 2 {
		return fmt.Errorf("want %s:ORDER,TYPE:%s[:FILL][:FLAGS]", name, sizes)
	}
	format, err := pixel.Parse(words[0])
	if err != nil {
		return err
	}
	im := ImageSpec{Type: name + "_t", Width: 1, Format: format}
	places := []*int{&im.Width, &im.Height, &im.Depth}
	switch {
	case name == "image1d_array":
		places[1] = &im.Layers
	case strings.Contains(name, "array"):
		places[2] = &im.Layers
	}
	given := strings.Split(words[1], "x")
	if len(given) != strings.Count(sizes, "x")+1 {
		return fmt.Errorf("%q: want %s", words[1], sizes)
	}
	count := uint64(1)
	for i, g := range given {
		n, err := product(g)
		if err != nil {
			return err
		}
		if n == 0 || n > maxBytes || count*n > maxBytes/uint64(format.Size()) {
			return fmt.Errorf("an image of %s texels; it may have 1 to %d bytes", words[1], int64(maxBytes))
		}
		count *= n
		*places[i] = int(n)
	}
	bits := format.Type.Bits()
	elem := channelElems[format.Type.Number()][bits/16]
	if format.Type.Signed() && !elem.IsFloat() {
		elem-- // each signed type precedes its unsigned one
	}
	a.Image, a.Type, a.Count = im, Type{elem, format.Channels()}, int(count)
	a.Bytes = a.Count * a.Type.Size()
	if len(words) < 3 {
		return a.contents("")
	}
	return a.contents(words[2])
}

// samplerWords lists the words of a sampler by kind, with their bits.
var samplerWords = [...][]struct {
	word string
	bits uint32
}{
	{{"nearest", 0x10}, {"linear", 0x20}},
	{{"none", 0}, {"edge", 2}, {"clamp", 4}, {"repeat", 6}, {"mirrored", 8}},
	{{"unnormalized", 0}, {"normalized", 1}},
}

// sampler parses words in any order. The first word of a kind is the default.
func (a *Arg) sampler(text string) error {
	a.Kind, a.Type, a.Bytes = Value, Type{UInt, 1}, 4
	a.Value = make([]byte, 4)
	given := strings.Split(text, ",")
	bits := uint32(0)
	for k, kind := range samplerWords {
		found := -1
		for i, w := range kind {
			at := slices.Index(given, w.word)
			if at < 0 {
				continue
			}
			if found >= 0 {
				return fmt.Errorf("a sampler is not both %s and %s", kind[found].word, w.word)
			}
			found = i
			given = slices.Delete(given, at, at+1)
		}
		bits |= samplerWords[k][max(found, 0)].bits
	}
	if len(given) > 0 && given[0] != "" {
		return fmt.Errorf("unknown word %q; samplers are nearest or linear, none, edge, clamp, repeat or mirrored, and normalized or unnormalized", given[0])
	}
	UInt.putInt(a.Value, int64(bits))
	return nil
}
