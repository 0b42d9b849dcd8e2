    .bundle 0xff00000000000000 @allow(C0310)
