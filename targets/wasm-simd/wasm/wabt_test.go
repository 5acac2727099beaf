package wasm_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// wabtDir finds wabt (npm i wabt) in $SIMTC_WABT, in the user's cache folder or beside this
// file. It skips the test with a message if node or wabt is missing.
func wabtDir(t *testing.T) string {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("SKIPPED: node is not installed, the text format is not checked against wabt")
	}
	dirs := []string{os.Getenv("SIMTC_WABT")}
	if cache, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(cache, "simtc", "wabt"))
	}
	for _, d := range dirs {
		if _, err := os.Stat(filepath.Join(d, "node_modules", "wabt")); d != "" && err == nil {
			return d
		}
	}
	t.Skipf("SKIPPED: wabt is not installed, the text format is not checked against it; to have it: npm i --prefix %s wabt", dirs[len(dirs)-1])
	return ""
}

// assemble runs wabt's assembler on texts and returns the binaries without name sections.
const assembler = `
const texts = require('fs').readFileSync(0, 'utf8').split('\u0001');
const on = {threads: true, relaxed_simd: true};
require('wabt')().then(w => {
  for (const text of texts) {
    try {
      const m = w.parseWat('test.wat', text, on);
      m.validate(on);
      console.log(Buffer.from(m.toBinary({}).buffer).toString('hex'));
      m.destroy();
    } catch (e) { console.log('error ' + String(e.message).replace(/\n/g, ' | ')); }
  }
});`

func assemble(t *testing.T, texts []string) []string {
	cmd := exec.Command("node", "-e", assembler)
	cmd.Dir = wabtDir(t)
	cmd.Stdin = strings.NewReader(strings.Join(texts, "\x01"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, lines, len(texts))
	return lines
}

// requireSameAsWABT prints modules, assembles the text with wabt and compares the bytes
// with the encoder's.
func requireSameAsWABT(t *testing.T, modules []*wasm.Module) {
	var texts []string
	for _, m := range modules {
		texts = append(texts, m.WAT())
	}
	for i, got := range assemble(t, texts) {
		bare := *modules[i]
		bare.Name, bare.Custom, bare.Funcs = "", nil, nil
		bare.Imports = nil
		for _, imp := range modules[i].Imports {
			imp.FuncName = ""
			bare.Imports = append(bare.Imports, imp)
		}
		for _, f := range modules[i].Funcs {
			g := *f
			g.Name = ""
			g.Params, g.Locals = nameless(f.Params), nameless(f.Locals)
			bare.Funcs = append(bare.Funcs, &g)
		}
		require.Equal(t, got, hex.EncodeToString(bare.Encode()), texts[i])
	}
}

func nameless(ls []wasm.Local) []wasm.Local {
	out := make([]wasm.Local, len(ls))
	for i, l := range ls {
		out[i] = wasm.Local{Type: l.Type}
	}
	return out
}

func TestRowsAgainstWABT(t *testing.T) {
	var ms []*wasm.Module
	for op := wasm.Op(0); int(op) < wasm.NumOps; op++ {
		if !isStructural(op) {
			ms = append(ms, rowModule(op))
		}
	}
	require.Greater(t, len(ms), 480)
	requireSameAsWABT(t, ms)
}

func TestRandomModulesAgainstWABT(t *testing.T) {
	var ms []*wasm.Module
	for seed := range int64(60) {
		ms = append(ms, randomModule(seed, 80))
	}
	requireSameAsWABT(t, ms)
}
