        | lwo f1, (r3)+1
        stopi 0
