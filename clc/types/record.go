package types

// Record is a struct or a union.
type Record struct {
	Tag      string // "" for an anonymous one
	Typedef  string // name for messages if there is no tag
	Union    bool
	Packed   bool
	Pack     int64 // the alignment limit of #pragma pack for members; 0 if none
	Complete bool
	Fields   []*Field

	size, align int64
}

// Field is a member. Offset counts bytes from the start of the record that declares it.
// Name is "" for an anonymous struct or union, whose fields are accessible like fields of
// the outer record.
type Field struct {
	Name      string
	Type      Type
	Quals     Quals
	TypeAlign int64 // from __attribute__((aligned)) on the typedef, 0 if none; ignored if packed
	Align     int64 // from __attribute__((aligned)) on the field, 0 if none
	Packed    bool  // from __attribute__((packed)) on the field
	Offset    int64
}

func (r *Record) String() string {
	kw := "struct "
	if r.Union {
		kw = "union "
	}
	switch {
	case r.Tag != "":
		return kw + r.Tag
	case r.Typedef != "":
		return r.Typedef
	}
	return kw + "(anonymous)"
}
func (r *Record) Size() int64  { return r.size }
func (r *Record) Align() int64 { return max(r.align, 1) }

// MaxSize bounds the size in bytes of any object.
const MaxSize = 1 << 40

// Finish lays out r with the given fields and marks it complete. minAlign is the
// alignment requested by an attribute, 0 if none. Pack limits the alignment of members,
// including those with alignment attributes, but not minAlign. Finish returns false if
// the record is larger than MaxSize.
func (r *Record) Finish(fields []*Field, minAlign int64) bool {
	r.Fields = fields
	r.Complete = true
	r.align = 1
	var end int64
	for _, f := range fields {
		align := max(f.Type.Align(), f.TypeAlign)
		if r.Packed || f.Packed {
			align = 1
		}
		align = max(align, f.Align)
		if r.Pack > 0 {
			align = min(align, r.Pack)
		}
		r.align = max(r.align, align)
		f.Offset = 0
		if r.Union {
			end = max(end, f.Type.Size())
			continue
		}
		f.Offset = roundUp(end, align)
		end = f.Offset + f.Type.Size()
		if end > MaxSize {
			r.size = 0
			return false
		}
	}
	r.align = max(r.align, minAlign)
	r.size = roundUp(end, r.align)
	return true
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// Lookup finds the member name, also inside anonymous members, and its offset from the
// start of r. It returns nil if there is none. quals are the qualifiers of the field and
// of the anonymous members that contain it.
func (r *Record) Lookup(name string) (f *Field, offset int64, quals Quals) {
	if name == "" {
		return nil, 0, 0
	}
	for _, f := range r.Fields {
		if f.Name == name {
			return f, f.Offset, f.Quals
		}
		if inner, ok := f.Type.(*Record); ok && f.Name == "" {
			if g, off, q := inner.Lookup(name); g != nil {
				return g, f.Offset + off, f.Quals | q
			}
		}
	}
	return nil, 0, 0
}
