package kernel

// Exchanged returns f with dimensions 0 and d exchanged: a copy in which each query of one of them
// is a query of the other. Run over a range whose dimensions are exchanged as well, it computes the
// same as f. Linear ids are computed from queries, so they stay the same, too. Exchanging the same
// dimensions again gives a copy of f.
//
// requires: dense IDs (Renumber); f queries no sub-groups, which are numbered along dimension 0;
// the dimensions are in the order of the source, or d is exchanged with 0
func Exchanged(f *Func, d int) *Func {
	f = Clone(f)
	if d == 0 {
		return f
	}
	before := f.LaneDim
	f.LaneDim = d
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if IsQuery(v.Op) && v.Op != WorkDim {
				v.Index = f.SourceDimension(v.Index)
			}
		}
	}
	if before == d {
		f.LaneDim = 0
	}
	r := &f.ReqdWorkGroupSize
	r[0], r[d] = r[d], r[0]
	return f
}

// SourceDimension returns the number in the source of dimension d of f, and the reverse.
func (f *Func) SourceDimension(d int) int {
	switch d {
	case 0:
		return f.LaneDim
	case f.LaneDim:
		return 0
	}
	return d
}

// LaneDims reports along which dimensions a kernel's lanes may lie: those in which it has a
// position. Dimension 0 is one in any case.
func (f *Func) LaneDims() (dims [3]bool) {
	dims[0] = true
	if f.SubGroups() {
		return dims
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == GlobalID || v.Op == LocalID || v.Op == GroupID {
				dims[v.Index] = true
			}
		}
	}
	return dims
}
