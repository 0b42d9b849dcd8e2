//! `cp2 loops`.

use crate::kit::Folder;
use serde_json::Value;

const PRODUCT: &str =
    "void product(int N, float C[N][N], const float A[N][N], const float B[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}
";

const LU: &str = "void lu(int N, float a[N][N]) {
  for (int k = 0; k < N; k++) {
    for (int i = k + 1; i < N; i++)
      a[i][k] /= a[k][k];
    for (int i = k + 1; i < N; i++)
      for (int j = k + 1; j < N; j++)
        a[i][j] -= a[i][k] * a[k][j];
  }
}
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("product.c", PRODUCT);
    folder.write("lu.c", LU);
    folder
}

#[test]
fn threads_and_sharing_are_reported() {
    insta::assert_snapshot!(folder().expect(0, "loops product.c"));
    insta::assert_snapshot!(folder().expect(0, "loops lu.c --explain"));
    insta::assert_snapshot!(folder().expect(0, "loops product.c --threads i,j"));
}

#[test]
fn reports_are_as_their_schema_says() {
    let folder = folder();
    let schema = folder.expect(0, "schema loops");
    for arguments in ["product.c", "lu.c", "product.c --run -D N=8"] {
        let text = folder.expect(0, &format!("loops {arguments} --json"));
        let report: Value = serde_json::from_str(&text).unwrap();
        for (name, _) in report.as_object().unwrap() {
            assert!(schema.contains(&format!("\"{name}\"")), "{arguments}: {name}");
        }
    }
}

#[test]
fn runs_take_arrays_and_give_them() {
    let folder = folder();
    insta::assert_snapshot!(
        folder.expect(0, "loops product.c --run -D N=16 --output A=a.npy --output C=c.npy")
    );
    // With these arrays the run is another one, with the same number of cycles.
    folder.expect(0, "loops product.c --run -D N=16 --input A=a.npy --input C=c.npy --machine vm9");
    insta::assert_snapshot!(folder.expect(3, "loops product.c --run -D N=8 --input A=a.npy"));
    insta::assert_snapshot!(folder.expect(3, "loops product.c --run"));
    insta::assert_snapshot!(folder.expect(3, "loops product.c --run -D N=8 -D M=1"));
    insta::assert_snapshot!(folder.expect(3, "loops lu.c --run -D N=8"));
    insta::assert_snapshot!(folder.expect(3, "loops product.c --run -D N=200"));
    folder
        .write("sizes.c", "void f(float a[100]) { for (int i = 0; i < 100; i++) a[i] = 1.0f; }\n");
    assert!(folder.expect(0, "loops sizes.c --run").starts_with("f on CP2: "));
    folder.write("sum.c", PRODUCT.replace("+= A", "= C[i][j] + A"));
    let sum = folder.expect(0, "loops sum.c --run -D N=9");
    assert!(sum.contains("bit for bit"), "{sum}");
}

#[test]
fn code_goes_to_a_file_or_the_terminal() {
    let folder = folder();
    let printed = folder.expect(0, "loops product.c --code cuda");
    assert!(printed.contains("__global__ void product_kernel"));
    assert_eq!(folder.expect(0, "loops product.c --code cuda -o product.cu"), "");
    assert_eq!(std::fs::read_to_string(folder.path("product.cu")).unwrap(), printed);
    assert!(folder.expect(0, "loops lu.c --code opencl").contains("__kernel void lu_2"));
}

#[test]
fn what_is_wrong_has_a_place_and_its_exit_code() {
    let folder = folder();
    folder.write("gather.c", "void f(int N, float y[N], const float x[N], const float c[N]) {\n  for (int i = 0; i < N; i++)\n    y[i] = x[c[i]];\n}\n");
    folder.write(
        "sums.c",
        "void f(int N, float s[N]) {\n  for (int i = 1; i < N; i++)\n    s[i] += s[i - 1];\n}\n",
    );
    insta::assert_snapshot!(folder.expect(3, "loops gather.c"));
    insta::assert_snapshot!(folder.expect(3, "loops sums.c --code c"));
    insta::assert_snapshot!(folder.expect(3, "loops product.c --threads i,jj"));
    insta::assert_snapshot!(folder.expect(3, "loops product.c --storage reduced --code c"));
    let sum = "void f(int N, float s[1], const float x[N]) {\n  #pragma loops forbid(reduce)\n  for (int i = 0; i < N; i++)\n    s[0] += x[i];\n}\n";
    folder.write("kept.c", sum);
    folder.write("free.c", sum.replace("  #pragma loops forbid(reduce)\n", ""));
    let forbidden = folder.expect(3, "loops kept.c --storage reduced");
    assert!(forbidden.contains("--storage: a pragma of the nest forbids it"), "{forbidden}");
    let offered = ["free.c", "kept.c"]
        .map(|nest| folder.expect(0, &format!("loops {nest}")).contains("--storage reduced"));
    assert_eq!(offered, [true, false]);
    for (twice, sentence) in [
        ("-D N=8 -D N=9", "-D N=9: `N` is given twice"),
        ("-D N=8 --output C=c.npy --output C=d.npy", "--output C=d.npy: `C` is given twice"),
    ] {
        let told = folder.expect(3, &format!("loops product.c --run {twice}"));
        assert!(told.contains(sentence), "{told}");
    }
    folder.expect(2, "loops product.c --run -D N=8 --output C=c.npy --output A=c.npy");
    folder.expect(2, "loops product.c --run -D N=8 --output C=product.c");
    assert_eq!(folder.expect(0, "loops product.c --check"), "");
    folder.write(
        "unset.c",
        "void f(int N, float a[N]) {\n  for (int i = 0; i < N; i++) {\n    float t;\n    a[i] = t;\n  }\n}\n",
    );
    let unset = folder.expect(3, "loops unset.c --check");
    assert!(unset.contains("`t` has no value at i = 0, N = 1"), "{unset}");
    folder.expect(2, "loops product.c --json --code c");
    folder.expect(2, "loops product.c -o x.c");
}
