.kernel k
    .bundle 0x0000000000962010 @allow(C0310)
    stopi 0
