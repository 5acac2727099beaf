package asm

import "testing"

func TestSmoke(t *testing.T) {
	z := []Inst{
		Make(VPADDD, Vec(1), Vec(2), InMem).Len(V512).WithMem(At(RDI, 64)).Merge(K1),
		Make(ADD, RAX, InImm).Bits(Size64).WithImm(5),
		Make(VPADDD, Vec(1), Vec(2), Vec(3)).Len(V256),
		Make(ZEROR, R9), Make(ZEROV, Vec(20)), Make(ONESV, Vec(3)).Len(V512), Make(ONESK, K3),
		Make(SHLCL, RDX).Bits(32),
	}
	for i := range z {
		b, err := Encode(nil, &z[i], Options{})
		t.Logf("%-60s %x %v", Format(&z[i]), b, err)
	}
	seen := 0
	for op := Op(1); op < numOps; op++ {
		if formRange[op][1] == 0 {
			t.Errorf("no row for op %d", op)
			seen++
		}
	}
	t.Log(numOps, len(forms))
}
