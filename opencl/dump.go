package opencl

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/simtc/simtc"
)

// A directory of SIMTC_DUMP has a directory for each launch with the sources, the contents of
// buffers and images before it, and the file "command": the words of a command line of simtc run,
// one a line, in which {} stands for the directory.

// dumpLaunch writes a launch of a kernel if SIMTC_DUMP is set.
func (p *Platform) dumpLaunch(k *Kernel, r simtc.Range, args []argument) {
	if p.cfg.Dump == "" {
		return
	}
	dir := filepath.Join(p.cfg.Dump, fmt.Sprintf("%06d-%s", p.dumps.Add(1), k.k.Name()))
	if err := dumpTo(dir, k, r, args); err != nil {
		p.logf("SIMTC_DUMP: %v", err)
	}
}

func dumpTo(dir string, k *Kernel, r simtc.Range, args []argument) error {
	var failed error
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if failed == nil {
			failed = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if failed == nil {
			failed = os.WriteFile(path, data, 0o644)
		}
	}
	var command []string
	k.prog.mu.Lock()
	units := k.prog.units
	k.prog.mu.Unlock()
	for i, u := range units {
		name := fmt.Sprintf("kernel%d.cl", i+1)
		write(name, []byte(u.Text))
		command = append(command, "{}/"+name)
		for _, x := range u.Includes {
			if filepath.IsLocal(x.Name) {
				write(filepath.Join("include", x.Name), []byte(x.Text))
			}
		}
	}
	command = append(command, "-I", "{}/include", "-k", k.k.Name(), "-g", numbersOf(r, r.Global), "-l", numbersOf(r, r.Local), "--offset", numbersOf(r, r.Offset))
	if len(units) > 0 && strings.TrimSpace(units[0].Options) != "" {
		command = append(command, "--cl-options", units[0].Options)
	}
	command = append(command, "--")
	for i, a := range args {
		p := k.params[i]
		file := fmt.Sprintf("arg%d.bin", i)
		switch v := a.value.(type) {
		case simtc.Sampler:
			command = append(command, samplerWords(v))
		case simtc.Arg:
			switch {
			case p.Kind == simtc.LocalPointer:
				command = append(command, "local:"+strconv.Itoa(a.local))
			case p.Kind == simtc.ByValue:
				command = append(command, "bytes:"+hex.EncodeToString(v.Value))
			case v.Buffer == nil:
				command = append(command, "null")
			case p.Kind == simtc.ImageParam && a.mem != nil:
				s := a.mem.image
				all, bytes := s.all(), a.mem.bytesOf(s.all())
				dense := make([]byte, bytes[0]*bytes[1]*bytes[2])
				from, to := a.mem.rectOf([3]int{}), rect{data: dense, row: bytes[0], slice: bytes[0] * bytes[1]}
				copyRect(&to, &from, bytes)
				write(file, dense)
				n, array := dims(a.mem.kind)
				if array {
					n++
				}
				var sizes []string
				for _, x := range all[:n] {
					sizes = append(sizes, strconv.Itoa(x))
				}
				command = append(command, fmt.Sprintf("%s:%s:%s:file,{}/%s", strings.TrimSuffix(p.Elem, "_t"), s.format, strings.Join(sizes, "x"), file))
			default:
				data := v.Buffer
				if a.mem == nil {
					data = knownPart(k, data)
				}
				write(file, data)
				elem, size := "uchar", 1
				if n := map[string]int{"char": 1, "short": 2, "ushort": 2, "half": 2, "int": 4, "uint": 4, "float": 4, "long": 8, "ulong": 8, "double": 8}[p.Elem]; n > 0 && len(data)%n == 0 {
					elem, size = p.Elem, n
				}
				command = append(command, fmt.Sprintf("b:%s:%d:file,{}/%s", elem, len(data)/size, file))
			}
		}
	}
	write("command", []byte(strings.Join(command, "\n")+"\n"))
	return failed
}

// knownPart returns the part of memory at an address that can be read: none unless it was
// allocated by Context.Alloc.
func knownPart(k *Kernel, b []byte) []byte {
	if len(b) > 0 {
		if _, data, ok := k.prog.ctx.svm.find(pointerOf(b)); ok {
			return data
		}
	}
	return []byte{}
}

// numbersOf formats the sizes of a range as flags have them.
func numbersOf(r simtc.Range, sizes [3]uint64) string {
	var words []string
	for _, n := range sizes[:r.Dims] {
		words = append(words, strconv.FormatUint(n, 10))
	}
	return strings.Join(words, ",")
}

func samplerWords(s simtc.Sampler) string {
	words := []string{"nearest"}
	if s&simtc.FilterLinear != 0 {
		words[0] = "linear"
	}
	words = append(words, []string{"none", "edge", "clamp", "repeat", "mirrored"}[(s&0xf)>>1])
	if s&simtc.NormalizedCoords != 0 {
		words = append(words, "normalized")
	}
	return "sampler:" + strings.Join(words, ",")
}
