// Generic pointers to private objects, stored in memory, mixed with others, and
// used after barriers.
// run: -k spaces --cl-std 2.0 -g 40 -l 8 b:int:40 b:int:40:index
// sum: 0 b6cda0c1135476a4
// sum: 1 951769b12422d04d
struct state { int *home; int a[5]; int *far[3]; int **volatile way; };

int *pick(struct state *s, __global int *g, __local int *l, int i) {
    switch (i & 3) {
    case 0: return &s->a[i % 5];
    case 1: return g;
    case 2: return l;
    }
    return 0;
}

int walk(struct state *s, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        *s->way = &s->a[(i * 3 + n) % 5];
        sum += **s->way += i;
    }
    return sum;
}

__kernel void spaces(__global int *out, __global int *g) {
    __local int l[8];
    int id = get_global_id(0), lid = get_local_id(0);
    struct state s, *p = &s;
    struct state init = {0, {1, 2, 3, 4, 5}, {0, 0, 0}, &p->far[id % 3]};
    s = init;
    l[lid] = id;
    p->home = pick(p, g + id, l + lid, id);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p->home)
        *p->home += 100;
    int sum = walk(p, id % 7);
    barrier(CLK_LOCAL_MEM_FENCE);
    int nulls = !p->home + !p->far[0] + !p->far[1] + !p->far[2];
    int same = p->home == &p->a[id % 5];
    __private int *mine = (id & 3) == 0 ? (__private int *)p->home : 0;
    int inside = mine ? *mine : -1;
    out[id] = ((((sum * 31 + nulls) * 31 + same) * 31 + l[lid]) * 31 + s.a[id % 5]) * 31 + inside;
}
