//! `cargo xtask worker|npm|all [--dev] [--test-hooks]` builds the WebAssembly modules and their JavaScript glue.
//!
//! cargo (wasm32) → wasm-bindgen → `build/` for the Worker, `pkg/` for the npm package. wasm-bindgen runs as a
//! library, so that its version is the one in Cargo.lock and no tool has to be installed or downloaded beside it.
//!
//! `wasm-opt -O3` afterwards was tried: 8 to 11 % smaller files, but none smaller gzipped, and no faster.

use std::{
    env,
    error::Error,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::Write,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Instant,
};

use flate2::{Compression, write::GzEncoder};
use wasm_bindgen_cli_support::Bindgen;

type Res<T = ()> = Result<T, Box<dyn Error>>;

const WASM_TARGET: &str = "wasm32-unknown-unknown";

const USAGE: &str = "usage: cargo xtask worker|npm|all [--dev] [--test-hooks]
  worker        build/worker.js and build/worker_bg.wasm, which js/worker.mjs imports
  npm           pkg/core.js, pkg/core.d.ts and pkg/core_bg.wasm, which the npm package carries
  all           both
  --dev         without optimisation, with names in stack traces
  --test-hooks  also build/test/: the Worker with the cargo feature `test-hooks`";

fn main() -> ExitCode {
    match run(env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: impl Iterator<Item = String>) -> Res {
    let (mut worker, mut npm, mut dev, mut test_hooks) = (false, false, false, false);
    for arg in args {
        match arg.as_str() {
            "worker" => worker = true,
            "npm" => npm = true,
            "all" => (worker, npm) = (true, true),
            "--dev" => dev = true,
            "--test-hooks" => test_hooks = true,
            "-h" | "--help" => {
                println!("{USAGE}");
                return Ok(());
            }
            other => return Err(format!("unknown argument `{other}`\n{USAGE}").into()),
        }
    }
    if !worker && !npm {
        return Err(format!("nothing to build\n{USAGE}").into());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask has no parent directory")?;
    if worker {
        Module::worker(root.join("build"), "worker").build(root, dev)?;
        if test_hooks {
            Module::worker(root.join("build/test"), "worker,test-hooks").build(root, dev)?;
        }
    }
    if npm {
        Module::npm(root.join("pkg")).build(root, dev)?;
    }
    Ok(())
}

/// One WebAssembly module with its JavaScript glue.
struct Module {
    /// Stem of the files written: `{name}.js`, `{name}_bg.wasm`.
    name: &'static str,
    /// Cargo features it is built with; the default ones are off.
    features: &'static str,
    /// Subdirectory of cargo's target directory. Each module has its own, because the modules are one crate with
    /// different features and would overwrite each other's file.
    target_dir: &'static str,
    out: PathBuf,
    configure: fn(&mut Bindgen),
}

impl Module {
    fn worker(out: PathBuf, features: &'static str) -> Self {
        Self {
            name: "worker",
            features,
            target_dir: "wasm-worker",
            out,
            // js/worker.mjs learns of a panic or trap and replaces the instance.
            configure: |bindgen| {
                bindgen.typescript(true).reset_state_function(true).force_enable_abort_handler(true);
            },
        }
    }

    fn npm(out: PathBuf) -> Self {
        Self {
            name: "core",
            features: "npm",
            target_dir: "wasm-npm",
            out,
            // No abort handler here: Node 20 cannot compile a module that has one.
            configure: |bindgen| {
                bindgen.typescript(true);
            },
        }
    }

    fn build(&self, root: &Path, dev: bool) -> Res {
        let output = self.out.join(format!("{}_bg.wasm", self.name));
        let stamp = self.out.join(format!(".{}.stamp", self.name));
        let wasm = fs::read(self.cargo(root, dev)?)?;
        let id = fingerprint(&wasm, dev);
        if output.exists() && fs::read_to_string(&stamp).is_ok_and(|old| old == id) {
            step("bindgen", self.features, Instant::now(), "unchanged");
            return Ok(());
        }
        self.bindgen(wasm, &output, dev)?;
        Ok(fs::write(&stamp, id)?)
    }

    /// Compiles the crate and returns the path of the raw module.
    fn cargo(&self, root: &Path, dev: bool) -> Res<PathBuf> {
        let start = Instant::now();
        let target_dir =
            env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join(self.target_dir);
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root);
        cargo.args(["build", "--quiet", "--package", "a2a-compat", "--lib", "--locked", "--no-default-features"]);
        cargo.args(["--target", WASM_TARGET, "--features", self.features]);
        cargo.arg("--target-dir").arg(&target_dir);
        if !dev {
            cargo.arg("--release");
        }
        // Flags from the environment would replace those in .cargo/config.toml, simd128 among them.
        cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        let status = cargo.status().map_err(|error| format!("cargo did not start: {error}"))?;
        if !status.success() {
            return Err(match wasm_target_installed() {
                false => format!("the Rust target {WASM_TARGET} is missing: run `rustup target add {WASM_TARGET}`"),
                true => format!("cargo build with the features `{}` failed, see above", self.features),
            }
            .into());
        }
        step("cargo", self.features, start, "");
        let profile = if dev { "debug" } else { "release" };
        Ok(target_dir.join(WASM_TARGET).join(profile).join("a2a_compat.wasm"))
    }

    /// Generates the glue and the module it belongs to.
    fn bindgen(&self, wasm: Vec<u8>, output: &Path, dev: bool) -> Res {
        let start = Instant::now();
        // Files of an older build, whose names carry a hash.
        let snippets = self.out.join("snippets");
        if snippets.exists() {
            fs::remove_dir_all(snippets)?;
        }
        let mut bindgen = Bindgen::new();
        bindgen.input_bytes(self.name, wasm).web(true)?.omit_default_module_path(true);
        bindgen.remove_name_section(!dev).remove_producers_section(!dev);
        (self.configure)(&mut bindgen);
        bindgen.generate(&self.out)?;
        step("bindgen", self.features, start, &sizes(output)?);
        Ok(())
    }
}

/// Names the module, this tool (its settings are part of the result) and the profile.
fn fingerprint(wasm: &[u8], dev: bool) -> String {
    let mut hasher = DefaultHasher::new();
    wasm.hash(&mut hasher);
    env::current_exe().and_then(|exe| exe.metadata()?.modified()).ok().hash(&mut hasher);
    dev.hash(&mut hasher);
    format!("{:016x}\n", hasher.finish())
}

/// Whether rustc has a standard library for the WebAssembly target.
fn wasm_target_installed() -> bool {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "target-libdir", "--target", WASM_TARGET]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

fn sizes(wasm: &Path) -> Res<String> {
    let wasm = fs::read(wasm)?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&wasm)?;
    Ok(format!("{} KiB, gzip {} KiB", wasm.len().div_ceil(1024), gzip.finish()?.len().div_ceil(1024)))
}

fn step(what: &str, features: &str, start: Instant, result: &str) {
    let line = format!("{what:<8} {features:<18} {:>5.1} s  {result}", start.elapsed().as_secs_f32());
    println!("{}", line.trim_end());
}
