//! The lanes that run `cp2` and look at what it makes.

use crate::folders::{Folders, command_of_readme, read};
use crate::shell::{Outcome, call};
use crate::{pages, tools};

pub(crate) fn generated(folders: &Folders) -> Outcome {
    pages::compare(folders)
}

pub(crate) fn readme(_: &Folders) -> Outcome {
    call(&command_of_readme("cargo run --release")?).run()
}

pub(crate) fn reports(folders: &Folders) -> Outcome {
    let cp2 = folders.build_cp2()?;
    let python = tools::python(&[tools::PYARROW, tools::JSONSCHEMA])?;
    let folder = folders.folder("reports")?;
    python.run("python").words("tests/schemas/validate.py").word(cp2).path(&folder).run()
}

pub(crate) fn model(folders: &Folders) -> Outcome {
    let cp2 = folders.build_cp2()?;
    for which in ["--complete", "--extensions"] {
        call("python3 tests/outside/compare.py --programs 300 --seed 1")
            .words(which)
            .words(&format!("--cp2 {cp2} --keep"))
            .path(&folders.folder("model")?)
            .run()?;
    }
    Ok(())
}

pub(crate) fn completions(folders: &Folders) -> Outcome {
    folders.build_cp2()?;
    let folder = folders.folder("completions")?;
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let file = folder.join(format!("cp2.{shell}"));
        folders.cp2("completions").words(shell).to(&file).run()?;
    }
    call("bash -n").path(&folder.join("cp2.bash")).run()?;
    let manual = folders.folder("man")?;
    folders.cp2("man").path(&manual).run()?;
    if read(&manual.join("cp2-run.1"))?.is_empty() {
        return Err("the manual page of `cp2 run` is empty".to_owned());
    }
    Ok(())
}
