.kernel k
    .bundle 0x0000000018022005 @allow(C0310)
    stopi 0
