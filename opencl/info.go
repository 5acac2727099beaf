package opencl

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/simtc/simtc/clc/features"
)

// namedVersion is the value of queries for names with versions (cl_name_version).
type namedVersion struct {
	name    string
	version features.Version
}

const namedVersionText = 64 // bytes of a name

// Encode returns the bytes of the result of a query as the API defines them: texts end with a
// zero byte, size_t, pointers and handles have 64 bits, bools 32.
func Encode(v any) []byte {
	switch v := v.(type) {
	case string:
		return append([]byte(v), 0)
	case []byte:
		return v
	case bool:
		if v {
			return []byte{1, 0, 0, 0}
		}
		return make([]byte, 4)
	case int: // size_t
		return binary.LittleEndian.AppendUint64(nil, uint64(v))
	case uint32:
		return binary.LittleEndian.AppendUint32(nil, v)
	case int32:
		return binary.LittleEndian.AppendUint32(nil, uint32(v))
	case uint64:
		return binary.LittleEndian.AppendUint64(nil, v)
	case uintptr:
		return binary.LittleEndian.AppendUint64(nil, uint64(v))
	case features.Version:
		return binary.LittleEndian.AppendUint32(nil, uint32(v))
	case namedVersion:
		b := make([]byte, 4+namedVersionText)
		binary.LittleEndian.PutUint32(b, uint32(v.version))
		copy(b[4:4+namedVersionText-1], v.name)
		return b
	case Object:
		if reflect.ValueOf(v).IsNil() {
			return make([]byte, 8)
		}
		return Encode(Handle(v))
	case nil:
		return []byte{}
	}
	list := reflect.ValueOf(v)
	if list.Kind() != reflect.Slice && list.Kind() != reflect.Array {
		panic(fmt.Sprintf("query with a result of type %T", v))
	}
	out := []byte{}
	for i := range list.Len() {
		out = append(out, Encode(list.Index(i).Interface())...)
	}
	return out
}
