module blueque.example/client

go 1.19
