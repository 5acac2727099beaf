package x86

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
)

func objectCodes() []*Code {
	return []*Code{
		{Name: "first", Bytes: bytes.Repeat([]byte{0x90}, 70), SpillBytes: 192, Level: 4, Called: vir.ABI{{Name: "width", Value: 16}}},
		{Name: "second", Bytes: []byte{0x90, 0xC3}, Entry: 1, Level: 3},
	}
}

func TestObject(t *testing.T) {
	codes := objectCodes()
	constants := vir.Data{Align: 16, Bytes: []byte{16, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, Addresses: []int{0}}
	data, err := Object(codes, constants)
	require.NoError(t, err)
	again, err := Object(codes, constants)
	require.NoError(t, err)
	require.Equal(t, data, again)

	f, err := elf.NewFile(bytes.NewReader(data))
	require.NoError(t, err)
	require.Equal(t, elf.ET_REL, f.Type)
	require.Equal(t, elf.EM_X86_64, f.Machine)
	text := f.Section(".text")
	require.EqualValues(t, 64, text.Addralign)
	require.Equal(t, elf.SHF_ALLOC|elf.SHF_EXECINSTR, text.Flags)
	require.NotNil(t, f.Section(".note.GNU-stack"), "without it the linker makes the stack executable")
	body, err := io.ReadAll(text.Open())
	require.NoError(t, err)
	require.Equal(t, codes[0].Bytes, body[:70])
	require.Equal(t, bytes.Repeat([]byte{0xF4}, 58), body[70:128])
	require.Equal(t, codes[1].Bytes, body[128:])

	numbers, err := f.Section(".rodata").Data()
	require.NoError(t, err)
	var fields []uint64
	for at := 0; at < len(numbers); at += 8 {
		fields = append(fields, binary.LittleEndian.Uint64(numbers[at:]))
	}
	require.Equal(t, []uint64{192, 4, 16, 0, 3}, fields)
	symbols, err := f.Symbols()
	require.NoError(t, err)
	type symbol struct {
		name    string
		value   uint64
		size    uint64
		section elf.SectionIndex
	}
	var got []symbol
	for _, s := range symbols {
		got = append(got, symbol{s.Name, s.Value, s.Size, s.Section})
	}
	require.Equal(t, []symbol{
		{"", 0, 0, secText}, {"", 0, 0, secData},
		{"first", 0, 70, secText}, {"__simtc_spill_bytes_first", 0, 8, secRodata}, {"__simtc_x86_64_level_first", 8, 8, secRodata}, {"__simtc_width_first", 16, 8, secRodata}, {"__simtc_data_first", 0, 17, secData},
		{"second", 129, 2, secText}, {"__simtc_spill_bytes_second", 24, 8, secRodata}, {"__simtc_x86_64_level_second", 32, 8, secRodata}, {"__simtc_data_second", 0, 17, secData},
	}, got)
	held := f.Section(".data.rel.ro")
	require.EqualValues(t, 16, held.Addralign)
	placed, err := held.Data()
	require.NoError(t, err)
	require.Equal(t, constants.Bytes, placed)
	relocations, err := f.Section(".rela.data.rel.ro").Data()
	require.NoError(t, err)
	require.Equal(t, []byte{0, 0, 0, 0, 0, 0, 0, 0, byte(elf.R_X86_64_64), 0, 0, 0, 2, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0}, relocations)

	_, err = Object([]*Code{{Name: "a", Bytes: []byte{0xC3}}, {Name: "a", Bytes: []byte{0xC3}}}, vir.Data{})
	require.ErrorContains(t, err, "the symbol a is defined twice")
}

// binutils accept the object file.
func TestObjectInBinutils(t *testing.T) {
	data, err := Object(objectCodes(), vir.Data{Align: 8, Bytes: make([]byte, 8), Addresses: []int{0}})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "x.o")
	require.NoError(t, os.WriteFile(path, data, 0o666))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"readelf", "-aW", path}, "__simtc_spill_bytes_second"},
		{[]string{"objdump", "-dr", path}, "<first>:"},
		{[]string{"ld", "-r", path, "-o", path + ".r"}, ""},
	} {
		if _, err := exec.LookPath(c.args[0]); err != nil {
			t.Logf("SKIPPED %s: not installed", c.args[0])
			continue
		}
		out, err := exec.Command(c.args[0], c.args[1:]...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), c.want)
		require.NotContains(t, string(out), "arning")
	}
}
