pub static BUNDLE: include_dir::Dir = include_dir::include_dir!("$OUT_DIR/bundle");
