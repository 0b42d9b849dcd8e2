.kernel k
    .bundle 0x220420c100000000 @allow(C0310)
    stopi 0
