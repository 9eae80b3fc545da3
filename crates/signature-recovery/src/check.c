/*
 * Checking many signatures at once by public keys that are expected, with the arithmetic of libsecp256k1, whose public functions don't
 * have it. A signature (r, s) over z with the point R, whose x is r, was made by the key Q just if s*R = z*G + r*Q. All are true at
 * once, but for one chance in 2^126, if sum(a*R - a*z/s*G - a*r/s*Q) is the point at infinity for factors a of 126 bits
 * that whoever signed can't foresee. One sum over many points costs less than half of as many recoveries.
 */

#include <stdint.h>
#include <string.h>

#include "assumptions.h"
#include "util.h"
#include "int128_impl.h"
#include "field_impl.h"
#include "scalar_impl.h"
#include "group_impl.h"
#include "ecmult_impl.h"
#include "scratch_impl.h"

typedef rustsecp256k1_v0_11_scalar scalar;
typedef rustsecp256k1_v0_11_fe field_element;
typedef rustsecp256k1_v0_11_ge point;
typedef rustsecp256k1_v0_11_gej sum_point;

/* A claim: 32 bytes of hash, r, s, the header byte, 16 bytes of its factor, 2 bytes of its key's index (little-endian). */
enum { HASH = 0, R = 32, S = 64, HEADER = 96, FACTOR = 97, KEY_INDEX = 113, CLAIM = 115 };
enum { KEY = 64, MAX_CLAIMS = 512, MAX_POINTS = 2 * MAX_CLAIMS };

/* What the sum asks for besides the points themselves, generously: their halves, digits and buckets. */
enum { ROOM_OF_SUM = 1 << 20 };

struct terms {
    scalar factors[MAX_POINTS];
    point points[MAX_POINTS];
    scalar s[MAX_CLAIMS];
    scalar inverse[MAX_CLAIMS];
    unsigned char room[ROOM_OF_SUM];
};

static int term(scalar *factor, point *value, size_t index, void *data) {
    const struct terms *terms = data;
    *factor = terms->factors[index];
    *value = terms->points[index];
    return 1;
}

static void broken(const char *text, void *data) {
    (void)text;
    (void)data;
    __builtin_trap();
}

/* The parity of R's y, as the network reads a header byte; -1 for a point whose x isn't r itself, and for no header byte. */
static int parity(unsigned char header) {
    int value = (signed char)header;
    if (value < 27) value += 27;
    if (value == 27 || value == 28) return value - 27;
    return value == 31 || value == 32 ? value - 31 : -1;
}

/* A number from 1 to below the curve's order. */
static int read_scalar(scalar *number, const unsigned char *bytes) {
    int overflow;
    rustsecp256k1_v0_11_scalar_set_b32(number, bytes, &overflow);
    return !overflow && !rustsecp256k1_v0_11_scalar_is_zero(number);
}

static int read_key(point *key, const unsigned char *bytes) {
    field_element x, y;
    if (!rustsecp256k1_v0_11_fe_set_b32_limit(&x, bytes)) return 0;
    if (!rustsecp256k1_v0_11_fe_set_b32_limit(&y, bytes + 32)) return 0;
    rustsecp256k1_v0_11_ge_set_xy(key, &x, &y);
    return rustsecp256k1_v0_11_ge_is_valid_var(key);
}

/* 1/s of all claims by one inversion. */
static int invert(struct terms *terms, size_t count, const unsigned char *claims) {
    scalar product;
    size_t i;
    rustsecp256k1_v0_11_scalar_set_int(&product, 1);
    for (i = 0; i < count; i++) {
        if (!read_scalar(&terms->s[i], claims + CLAIM * i + S)) return 0;
        terms->inverse[i] = product;
        rustsecp256k1_v0_11_scalar_mul(&product, &product, &terms->s[i]);
    }
    rustsecp256k1_v0_11_scalar_inverse_var(&product, &product);
    for (i = count; i-- > 0;) {
        rustsecp256k1_v0_11_scalar_mul(&terms->inverse[i], &terms->inverse[i], &product);
        rustsecp256k1_v0_11_scalar_mul(&product, &product, &terms->s[i]);
    }
    return 1;
}

/* Adds a claim's part to the factor of G and of its key, and its own point behind the keys. */
static int add_claim(struct terms *terms, const unsigned char *claim, const scalar *inverse, scalar *of_g, size_t keys, size_t at) {
    unsigned char bytes[32] = {0};
    size_t key = claim[KEY_INDEX] + 256 * (size_t)claim[KEY_INDEX + 1];
    int odd = parity(claim[HEADER]);
    scalar factor, share, r, part;
    field_element x;
    if (key >= keys || odd < 0 || !read_scalar(&r, claim + R)) return 0;
    memcpy(bytes + 16, claim + FACTOR, 16);
    bytes[16] &= 0x3f;
    rustsecp256k1_v0_11_scalar_set_b32(&factor, bytes, NULL);
    rustsecp256k1_v0_11_scalar_mul(&share, &factor, inverse);
    rustsecp256k1_v0_11_scalar_set_b32(&part, claim + HASH, NULL);
    rustsecp256k1_v0_11_scalar_mul(&part, &part, &share);
    rustsecp256k1_v0_11_scalar_add(of_g, of_g, &part);
    rustsecp256k1_v0_11_scalar_mul(&part, &r, &share);
    rustsecp256k1_v0_11_scalar_add(&terms->factors[key], &terms->factors[key], &part);
    rustsecp256k1_v0_11_scalar_negate(&terms->factors[keys + at], &factor);
    if (!rustsecp256k1_v0_11_fe_set_b32_limit(&x, claim + R)) return 0;
    return rustsecp256k1_v0_11_ge_set_xo_var(&terms->points[keys + at], &x, odd);
}

size_t signature_check_room(void) {
    return sizeof(struct terms) + 16;
}

/* 1: every signature was made by its key; 0: one wasn't, or isn't of the ordinary kind. `room` has signature_check_room() bytes. */
int signature_check(size_t count, const unsigned char *claims, size_t keys, const unsigned char *key_bytes, void *room) {
    static const rustsecp256k1_v0_11_callback failed = {broken, NULL};
    struct terms *terms = (struct terms *)(((uintptr_t)room + 15) & ~(uintptr_t)15);
    rustsecp256k1_v0_11_scratch scratch = {"scratch", NULL, 0, ROOM_OF_SUM};
    scalar of_g;
    sum_point sum;
    size_t i;
    if (count == 0 || count > MAX_CLAIMS || keys > count) return 0;
    for (i = 0; i < keys; i++) {
        if (!read_key(&terms->points[i], key_bytes + KEY * i)) return 0;
        rustsecp256k1_v0_11_scalar_set_int(&terms->factors[i], 0);
    }
    rustsecp256k1_v0_11_scalar_set_int(&of_g, 0);
    if (!invert(terms, count, claims)) return 0;
    for (i = 0; i < count; i++) {
        if (!add_claim(terms, claims + CLAIM * i, &terms->inverse[i], &of_g, keys, i)) return 0;
    }
    scratch.data = terms->room;
    if (!rustsecp256k1_v0_11_ecmult_multi_var(&failed, &scratch, &sum, &of_g, term, terms, keys + count)) return 0;
    return rustsecp256k1_v0_11_gej_is_infinity(&sum);
}
