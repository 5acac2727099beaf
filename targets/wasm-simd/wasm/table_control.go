package wasm

// controlRows lists control, parametric and variable instructions (spec 5.4.1-5.4.4).
var controlRows = []opRow{
	{Unreachable, Row{"unreachable", 0, 0x00, ImmNone, "", "", 0}},
	{Nop, Row{"nop", 0, 0x01, ImmNone, "", "", 0}},
	{Block, Row{"block", 0, 0x02, ImmBlock, "", "", 0}},
	{Loop, Row{"loop", 0, 0x03, ImmBlock, "", "", 0}},
	{If, Row{"if", 0, 0x04, ImmBlock, "i", "", 0}},
	{Else, Row{"else", 0, 0x05, ImmNone, "", "", 0}},
	{End, Row{"end", 0, 0x0B, ImmNone, "", "", 0}},
	{Br, Row{"br", 0, 0x0C, ImmLabel, "", "", 0}},
	{BrIf, Row{"br_if", 0, 0x0D, ImmLabel, "i", "", 0}},
	{BrTable, Row{"br_table", 0, 0x0E, ImmTable, "i", "", 0}},
	{Return, Row{"return", 0, 0x0F, ImmNone, "", "", 0}},
	{Call, Row{"call", 0, 0x10, ImmFunc, "", "", 0}},
	{Drop, Row{"drop", 0, 0x1A, ImmNone, "", "", 0}},
	{Select, Row{"select", 0, 0x1B, ImmNone, "", "", 0}},
	{SelectT, Row{"select", 0, 0x1C, ImmType, "", "", 0}},
	{LocalGet, Row{"local.get", 0, 0x20, ImmLocal, "", "", 0}},
	{LocalSet, Row{"local.set", 0, 0x21, ImmLocal, "", "", 0}},
	{LocalTee, Row{"local.tee", 0, 0x22, ImmLocal, "", "", 0}},
}
