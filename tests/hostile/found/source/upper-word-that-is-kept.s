; machine: core.fprs=64
        .bundle 0x0500000000000000, 2 @allow(C0310)
        stopi 0
