// Table-driven CRC-32 of messages whose length differs by lane; the table is computed bitwise by another kernel.
// run: -k crc32 -g 300 b:uchar:2000:rand,232 b:uint:300
// sum: 0 ce128f42575f9021
// sum: 1 5bce80570273c48a
__constant uint nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                               0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
__kernel void crc32(__global const uchar *data, __global uint *out) {
  uint i = get_global_id(0);
  uint n = 3 + i % 37, crc = ~0u;
  for (uint k = 0; k < n; k++) {
    uchar byte = data[5 * i + k];
    crc = nibbles[(crc ^ byte) & 15] ^ (crc >> 4);
    crc = nibbles[(crc ^ (byte >> 4)) & 15] ^ (crc >> 4);
  }
  uint check = ~0u;
  for (uint k = 0; k < n; k++) {
    check ^= data[5 * i + k];
    for (int bit = 0; bit < 8; bit++)
      check = check & 1 ? (check >> 1) ^ 0xedb88320u : check >> 1;
  }
  out[i] = crc == check ? ~crc : 0;
}
// bench: -k crc32 -g 100000 b:uchar:500100:rand,232 b:uint:100000
// sum: 0 bd278ae35b4d2ad1
// sum: 1 84fb4fe599a04435
