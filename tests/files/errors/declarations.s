;; What `.arg` and `.array` refuse.
; case: names and registers
        .kernel k
        .arg    n, g2
        .arg    m, g2                    ; error: 20-22 C0421
        .arg    n, g3                    ; error: 17-18 C0421
        .arg    h, f1.hi
        .arg    w, f1                    ; error: 20-22 C0421
        .arg    low, f1.lo
        .arg    g5, g6                   ; error: 17-19 C0203
        stopi   0

; case: registers that hold no argument
        .arg    a, r2                    ; error: C0422
        .arg    b, cc1                   ; error: C0422
        .arg    c, status                ; error: C0422
        .arg    d, 5                     ; error: C0422
        .arg    e, g16                   ; error: C0304
        .arg    f, rind
        stopi   0

; case: types and promises
        .arg    a, g1, float32           ; error: C0423
        .arg    b, f1.hi, complex64      ; error: C0423
        .arg    c, f2, float64           ; error: C0423
        .arg    d, f3, min=1             ; error: C0423
        .arg    e, g2, mim=1             ; error: C0423
        .arg    f, g3, multiple=0        ; error: C0423
        .arg    g, g4, min=1, min=2      ; error: C0421
        .arg    h, g5, min=1, int64      ; error: C0101
        .arg    i, f4, int32, min=-5, max=5, default=0
        stopi   0

; case: arrays
        .arg    n, g2
        .arg    s, f0
        .array  x, in, float32, n        ; error: C0422
        .array  y, from, float32, n      ; error: C0423
        .array  z, in, double, n         ; error: C0423
        .array  u, in, float32, 0, at=0  ; error: C0423
        .array  v, in, float32, s, at=0  ; error: C0201
        .array  w, in, float32, n % 2, at=0     ; error: C0423
        .array  b, in, float32, n, layout=rows  ; error: C0423
        .array  c, in, float32, n, pack=two     ; error: C0423
        .array  d, in, float32, n, at=8192      ; error: C0422
        .array  e, in, float32, n, at=f1        ; error: C0422
        .array  f, in, float32, n, at=g2        ; error: C0421
        .array  k, in, float32, n, at=0, 5      ; error: C0101
        .array  l, in, float32, n, layout=all, layout=s1        ; error: C0421
        .array  main, in, float32, n     ; error: C0422
        .array  good, inout, complex64, 4, (n + 3) * 2 - 1, layout=interleaved/2, at=a1
        stopi   0
