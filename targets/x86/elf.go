package x86

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/simtc/simtc/vir"
)

// codeAlign is the alignment of code in bytes.
const codeAlign = 64

// Sections of an object file, in the order of their headers.
const (
	secNull = iota
	secText
	secRodata
	secData
	secRela
	secSymtab
	secStrtab
	secShstrtab
	secNote
	numSections
)

// Object returns a relocatable ELF file for x86-64 (System V ABI, AMD64 supplement) with
// the functions. It defines these global symbols for each:
//
//	NAME                    the function
//	__simtc_FIELD_NAME      uint64_t: one for each field of its ABI, such as
//	                        __simtc_spill_bytes_NAME, the size of the memory it needs below
//	                        its private memory
//	__simtc_data_NAME       the data of the program, for CtxData
//	__simtc_variables_NAME  the program's variables, if any, for the argument that follows
//	                        those of the source
func Object(codes []*Code, data vir.Data) ([]byte, error) {
	var text, rodata, names bytes.Buffer
	names.WriteByte(0)
	const local = 3 // local symbols: the null symbol and two sections
	symbols := make([]elf.Sym64, local, local+9*len(codes))
	symbols[1] = elf.Sym64{Info: elf.ST_INFO(elf.STB_LOCAL, elf.STT_SECTION), Shndx: secText}
	symbols[2] = elf.Sym64{Info: elf.ST_INFO(elf.STB_LOCAL, elf.STT_SECTION), Shndx: secData}
	relocations := make([]elf.Rela64, len(data.Addresses))
	for i, at := range data.Addresses {
		relocations[i] = elf.Rela64{
			Off: uint64(at), Info: elf.R_INFO(2, uint32(elf.R_X86_64_64)), Addend: int64(binary.LittleEndian.Uint64(data.Bytes[at:])),
		}
	}
	defined := map[string]bool{}
	define := func(name string, kind elf.SymType, section elf.SectionIndex, value, size uint64) error {
		if defined[name] {
			return fmt.Errorf("x86: the symbol %s is defined twice", name)
		}
		defined[name] = true
		symbols = append(symbols, elf.Sym64{
			Name: uint32(names.Len()), Info: elf.ST_INFO(elf.STB_GLOBAL, kind), Shndx: uint16(section), Value: value, Size: size,
		})
		names.WriteString(name + "\x00")
		return nil
	}
	for _, c := range codes {
		for text.Len()%codeAlign != 0 {
			text.WriteByte(0xF4) // hlt
		}
		start := uint64(text.Len())
		text.Write(c.Bytes)
		if err := define(c.Name, elf.STT_FUNC, secText, start+uint64(c.Entry), uint64(len(c.Bytes))); err != nil {
			return nil, err
		}
		for _, f := range c.ABI() {
			if err := define(vir.Symbol(f.Name, c.Name), elf.STT_OBJECT, secRodata, uint64(rodata.Len()), 8); err != nil {
				return nil, err
			}
			write(&rodata, uint64(f.Value))
		}
		if err := define(vir.Symbol("data", c.Name), elf.STT_OBJECT, secData, 0, uint64(len(data.Bytes))); err != nil {
			return nil, err
		}
		if at := data.Variables; at > 0 {
			if err := define(vir.Symbol("variables", c.Name), elf.STT_OBJECT, secData, uint64(at), uint64(len(data.Bytes)-at)); err != nil {
				return nil, err
			}
		}
	}
	var symtab, rela bytes.Buffer
	write(&symtab, symbols)
	write(&rela, relocations)

	// An empty .note.GNU-stack marks the stack as not executable.
	dataName := ".data.rel.ro" // written only when addresses are relocated
	if data.Variables > 0 {
		dataName = ".data"
	}
	sectionNames := "\x00.text\x00.rodata\x00.rela" + dataName + "\x00.symtab\x00.strtab\x00.shstrtab\x00.note.GNU-stack\x00"
	nameOf := func(s string) uint32 { return uint32(strings.Index(sectionNames, s+"\x00")) }
	content := [numSections][]byte{
		secText: text.Bytes(), secRodata: rodata.Bytes(), secData: data.Bytes, secRela: rela.Bytes(), secSymtab: symtab.Bytes(), secStrtab: names.Bytes(), secShstrtab: []byte(sectionNames),
	}
	headers := [numSections]elf.Section64{
		secText:   {Name: nameOf(".text"), Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Addralign: codeAlign},
		secRodata: {Name: nameOf(".rodata"), Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC), Addralign: 8},
		secData:   {Name: nameOf(dataName), Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_WRITE), Addralign: uint64(max(data.Align, 1))},
		secRela: {
			Name: nameOf(".rela" + dataName), Type: uint32(elf.SHT_RELA), Flags: uint64(elf.SHF_INFO_LINK), Link: secSymtab, Info: secData,
			Addralign: 8, Entsize: uint64(binary.Size(elf.Rela64{})),
		},
		secSymtab:   {Name: nameOf(".symtab"), Type: uint32(elf.SHT_SYMTAB), Link: secStrtab, Info: local, Addralign: 8, Entsize: elf.Sym64Size},
		secStrtab:   {Name: nameOf(".strtab"), Type: uint32(elf.SHT_STRTAB), Addralign: 1},
		secShstrtab: {Name: nameOf(".shstrtab"), Type: uint32(elf.SHT_STRTAB), Addralign: 1},
		secNote:     {Name: nameOf(".note.GNU-stack"), Type: uint32(elf.SHT_PROGBITS), Addralign: 1},
	}
	var body bytes.Buffer
	head := binary.Size(elf.Header64{})
	pad := func(align uint64) {
		for align > 1 && uint64(head+body.Len())%align != 0 {
			body.WriteByte(0)
		}
	}
	for i := secText; i < numSections; i++ {
		pad(headers[i].Addralign)
		headers[i].Off, headers[i].Size = uint64(head+body.Len()), uint64(len(content[i]))
		body.Write(content[i])
	}
	pad(8)
	header := elf.Header64{
		Type: uint16(elf.ET_REL), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Shoff: uint64(head + body.Len()), Ehsize: uint16(head), Shentsize: uint16(binary.Size(elf.Section64{})),
		Shnum: numSections, Shstrndx: secShstrtab,
	}
	copy(header.Ident[:], elf.ELFMAG)
	header.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
	header.Ident[elf.EI_DATA] = byte(elf.ELFDATA2LSB)
	header.Ident[elf.EI_VERSION] = byte(elf.EV_CURRENT)

	var file bytes.Buffer
	write(&file, header)
	file.Write(body.Bytes())
	write(&file, headers)
	return file.Bytes(), nil
}

// write appends v, a value of fixed size, in little-endian form.
func write(b *bytes.Buffer, v any) {
	// Writes to a Buffer do not fail, and the types here have fixed sizes.
	_ = binary.Write(b, binary.LittleEndian, v)
}
