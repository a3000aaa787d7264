package form

import "strings"

// goldenHashes were computed once. They are not to be computed again: a test that fails here found a change of the hash.
var goldenHashes = []struct {
	typ  string
	cell any
	hash uint64
}{
	{"null", nil, 0x6a09e667f3bcc909},
	{"string", nil, 0x6a09e667f3bcc909},
	{"bool", false, 0xe220a8397b1dcdaf},
	{"bool", true, 0x910a2dec89025cc1},
	{"int64", 0, 0xe220a8397b1dcdaf},
	{"int8", 1, 0x910a2dec89025cc1},
	{"int32", -1, 0xe4d971771b652c20},
	{"int64", i64(-1 << 63), 0x481ec0a212a9f3db},
	{"int64", i64(1<<63 - 1), 0x2a67d7552e039ea7},
	{"uint64", u64(1<<64 - 1), 0xe4d971771b652c20},
	{"uint32", i64(1<<32 - 1), 0x73b13ba2aff181c0},
	{"float64", 0.0, 0xe220a8397b1dcdaf},
	{"float64", map[string]any{"f": "-0"}, 0xe220a8397b1dcdaf},
	{"float64", 1.5, 0xd6dab18e1392608a},
	{"float16", 1.5, 0xd6dab18e1392608a},
	{"float16", 6e-8, 0xa0809314f295897a},
	{"float32", 0.1, 0xaa508b85b52fe89c},
	{"float64", 0.1, 0xf823e4ed2fb12a7d},
	{"float32", nan(1), 0x698f600b8063ccbd},
	{"float64", nan(0), 0x698f600b8063ccbd},
	{"float64", map[string]any{"f": "-Infinity"}, 0x8ce2ca027cda7ffe},
	{"decimal(5,2)", "0.00", 0xe220a8397b1dcdaf},
	{"decimal(5,2)", "1.20", 0xdafde1947466d174},
	{"decimal256(76,20)", "-1.2", 0x5c868f879c1a02f9},
	{"decimal(38,0)", "2305843009213693951", 0xe220a8397b1dcdaf},
	{"decimal(38,38)", "-0.00000000000000000000000000000000000001", 0xf9d1a83e81b159f0},
	{"decimal(3,-2)", "99900", 0x9f7e4a0b69984841},
	{"decimal256(76,0)", "-" + strings.Repeat("9", 76), 0x8deb0bd2d256c545},
	{"string", "", 0xf0a48b71b0e7d1b2},
	{"string", "a", 0xce98550fc1a082eb},
	{"string", "a\x00", 0x15fd54fd8ffef168},
	{"string", "abc", 0x70f3df949b40e050},
	{"string", "abcd", 0x8a4c4fdba1f9e226},
	{"string", "abcdefg", 0x878222422ab73b53},
	{"string", "abcdefgh", 0xee06ee6913173ccb},
	{"string", "abcdefghi", 0xfe33cc0e8ace4874},
	{"string_view", "abcdefghijklmn", 0x88a5b54eeef83db6},
	{"string", "abcdefghijklmno", 0xf8f7bad68857139a},
	{"string", "abcdefghijklmnop", 0x673283033415f6dc},
	{"large_string", strings.Repeat("0123456789", 10), 0xfbc3f8d4166b41a1},
	{"string", "\xff\xfe", 0xdaf7871db9940324},
	{"binary", []byte{}, 0xf0a48b71b0e7d1b2},
	{"fsb(2)", []byte{0xff, 0xfe}, 0xdaf7871db9940324},
	{"date32", "2026-01-31", 0x4d853bdc8e9e6162},
	{"date64", 1, 0x910a2dec89025cc1},
	{"date32", -2147483648, 0xffec04b762a5d89f},
	{"time32[s]", "09:00:00", 0x1b73b350b1cebc04},
	{"time64[ns]", "23:59:59.999999999", 0xa17b5bbdd921b7a3},
	{"timestamp[us]", "2026-01-31T09:00:00.000001", 0x0339dbe557d9faad},
	{"timestamp[s]", "9999-12-31T23:59:59", 0xee7da16ce2d8949e},
	{"timestamp[s]", i64(-1 << 63), 0xe220a8397b1dcdaf},
	{"timestamp[ms,+05:30]", "2026-01-31T09:00:00+05:30", 0xb2d1229ac2e5f02b},
	{"duration[ms]", -1, 0xa095d63c0ebaccd2},
	{"duration[s]", 90, 0x39565664e0f782eb},
	{"struct<a:int8,b:string>", pair(1, "x"), 0xdae09256b3c71e2f},
	{"struct<a:int8,b:string>", pair(nil, nil), 0x1c3fa15ef42b8804},
	{"struct<>", map[string]any{}, 0xe220a8397b1dcdaf},
	{"list<int64>", list(), 0xe220a8397b1dcdaf},
	{"list<int64>", list(1, nil), 0xa7a4523bf739ada1},
	{"large_list<list<string>>", list(list("a"), list(), nil), 0x0c688041f8df175b},
	{"fsl<int32,2>", list(1, 2), 0xae234fbdaf387204},
	{"list<struct<a:float64,b:string>>", list(pair(0.5, "abcdefghijklmnop")), 0x57894074fd0e55a7},
	{"dict<int8,string>", "abc", 0x70f3df949b40e050},
	{"ree<int16>", -1, 0xe4d971771b652c20},
}

// The hashes of two columns, and of two words.
const (
	goldenCombined = 0x153c9c65b8264f4e
	goldenMixed    = 0xebda310a96fb2327
)
