        .bundle 0x000000001c62bfff @allow(C0310)
        stopi 0
