.kernel k
    .bundle 0x025c108200000000 @allow(C0310)
    stopi 0
