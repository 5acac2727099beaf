package simtc_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/simtc/simtc"

// mayImport lists the packages of the module that a package may import, by prefix of both: "clc"
// stands for clc and everything below it, "=vir" for vir alone. A package without a row has that of the nearest parent
// directory. "." is the root.
var mayImport = map[string]string{
	".":                      "cfg clc internal kernel launch pipeline remarks =targets vir",
	"pipeline":               "alu blockip cfg divergence internal kernel launch opt plan remarks structurize targets vir widen workgroup",
	"alu":                    "",
	"alu/interval":           "alu cfg",
	"blockip":                "alu cfg divergence internal joinpoints kernel vir widen",
	"builtins":               "alu clc/ast clc/check clc/parse clc/preprocess clc/types internal",
	"cfg":                    "cfg internal/grouped",
	"clc":                    "alu builtins clc internal kernel",
	"cmd":                    ". internal",
	"divergence":             "alu cfg internal kernel",
	"examples":               ".",
	"internal":               "internal",
	"internal/ssa":           "alu cfg internal",
	"joinpoints":             "cfg",
	"kernel":                 "alu cfg internal kernel",
	"kernel/interp":          "alu cfg internal joinpoints kernel",
	"launch":                 "alu internal kernel launch targets/x86/emulate targets/wasm-simd vir",
	"launch/native":          "",
	"launch/wasmhost":        "launch/wasmhost targets/wasm-simd/wasm",
	"opencl":                 ". clc/features internal opencl",
	"opencl/cl":              "",
	"opencl/driver":          "launch/native opencl",
	"opt":                    "alu cfg internal kernel opt",
	"opt/boundscheck":        "alu cfg internal kernel opt",
	"opt/lanes/interior":     "alu cfg divergence internal kernel opt",
	"opt/polynomial":         "alu kernel",
	"opt/lanes/deferral":     "alu cfg divergence internal kernel opt",
	"opt/lanes/refill":       "alu cfg divergence kernel opt",
	"opt/lanes/tripcount":    "alu cfg divergence internal kernel opt opt/polynomial",
	"plan":                   "alu cfg vir",
	"remarks":                "alu cfg divergence internal kernel plan vir widen",
	"structurize":            "alu cfg divergence internal kernel vir widen",
	"targets":                "alu cfg internal plan =targets targets/mach targets/wasm-simd/wasm targets/x86 vir", // and native targets
	"targets/mach":           "cfg internal targets/mach",
	"targets/x86":            "internal =targets targets/mach targets/x86 vir",
	"targets/x86/isel":       "alu cfg internal targets/mach targets/x86 vir",
	"targets/x86/asm":        "",
	"targets/x86/emulate":    "targets/x86/asm",
	"targets/wasm-simd":      "alu cfg internal plan =targets targets/wasm-simd vir",
	"targets/wasm-simd/wasm": "",
	"utest":                  ". alu blockip builtins cfg clc divergence internal kernel launch opt plan structurize targets utest vir widen workgroup",
	"vir":                    "alu cfg internal vir",
	"vir/opt":                "internal vir",
	"vir/opt/analysis":       "alu cfg internal/grouped =vir",
	"vir/opt/edit":           "alu cfg internal/grouped internal/pass =vir vir/opt/analysis",
	"vir/opt/combine":        "alu cfg =vir vir/opt/analysis vir/opt/edit",
	"vir/opt/narrow":         "alu internal/grouped =vir vir/opt/analysis vir/opt/edit",
	"vir/opt/control":        "alu cfg =vir vir/opt/analysis vir/opt/edit",
	"vir/opt/induction":      "alu cfg internal/grouped =vir vir/opt/analysis vir/opt/combine vir/opt/edit",
	"vir/opt/loops":          "alu cfg =vir vir/opt/analysis vir/opt/combine vir/opt/control vir/opt/edit",
	"vir/opt/masks":          "alu cfg =vir vir/opt/analysis vir/opt/edit vir/opt/loops",
	"vir/opt/memory":         "alu cfg =vir vir/opt/analysis vir/opt/combine vir/opt/edit",
	"vir/opt/slp":            "alu cfg =vir vir/opt/analysis vir/opt/combine vir/opt/edit",
	"vir/opt/vectorize":      "alu cfg =vir vir/opt/analysis vir/opt/combine vir/opt/edit",
	"widen":                  "alu cfg divergence internal joinpoints kernel vir",
	"workgroup":              "alu cfg internal kernel opt",
}

// onlyIn names the only package that may import a module that is large or needs cgo.
var onlyIn = map[string]string{
	"github.com/bytecodealliance/wasmtime-go": "launch/wasmhost/wasmtimehost",
	"github.com/tetratelabs/wazero":           "launch/wasmhost/wazerohost",
	"github.com/spf13/cobra":                  "cmd/simtc",
	"github.com/sbinet/npyio":                 "internal/ndarg",
}

// imports lists the non-test imports of the module's packages within the module and of modules in
// onlyIn, by package path within the module.
func imports(t *testing.T) map[string][]string {
	seen := map[string]map[string]bool{}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || p != "." && strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(p))
		if seen[pkg] == nil {
			seen[pkg] = map[string]bool{}
		}
		for _, i := range f.Imports {
			target, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			seen[pkg][target] = true
		}
		return nil
	})
	require.NoError(t, err)
	out := map[string][]string{}
	for pkg, set := range seen {
		for target := range set {
			out[pkg] = append(out[pkg], target)
		}
		sort.Strings(out[pkg])
	}
	return out
}

func within(pkg, prefix string) bool {
	return pkg == prefix || prefix != "." && strings.HasPrefix(pkg, prefix+"/")
}

func TestImportsFollowTheDesign(t *testing.T) {
	all := imports(t)
	require.Contains(t, all, "kernel")
	for pkg, targets := range all {
		row, rowName := "", ""
		for name, r := range mayImport {
			if within(pkg, name) && len(name) > len(rowName) {
				row, rowName = r, name
			}
		}
		if rowName == "" {
			t.Errorf("package %s has no row in mayImport", pkg)
			continue
		}
		for _, target := range targets {
			for heavy, where := range onlyIn {
				if strings.HasPrefix(target, heavy) && pkg != where {
					t.Errorf("package %s imports %s; only %s may", pkg, heavy, where)
				}
			}
			own, ok := strings.CutPrefix(target, module)
			if !ok {
				continue
			}
			own = strings.TrimPrefix(own, "/")
			if own == "" {
				own = "."
			}
			allowed := false
			for _, prefix := range strings.Fields(row) {
				alone, exact := strings.CutPrefix(prefix, "=")
				allowed = allowed || exact && own == alone || within(own, prefix)
			}
			if !allowed {
				t.Errorf("package %s may not import %s: see mayImport", pkg, own)
			}
		}
	}
}
