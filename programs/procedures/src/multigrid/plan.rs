//! The choice of the form of a run of V-cycles, and of the programs that take turns in instruction memory.

use super::columns::ColumnArrangement;
use super::form::{OperatorForm, is_cut};
use super::images::Images;
use super::levels::Levels;
use super::npb::Class;
use super::program;
use crate::host::Host;
use crate::plan::{Compared, Plan};
use cp2_isa::Core;
use cp2_kernels::multigrid::staged::Records;
use cp2_session::cost::{ChosenPlan, OtherPlan};
use cp2_session::error::KernelError;

/// Takes a form, or the best one of those that the machine and the grids of the class allow, with its grids and kernels, and
/// notes the plan in the host. The forms in columns are compared by predicted cycles. One operator after the other, which moves
/// each array for each operator, is taken where no form in columns is possible.
///
/// # Errors
/// The machine lacks what the given form needs, or what all need.
pub(super) fn choose(
    host: &mut Host,
    class: Class,
    form: Option<OperatorForm>,
) -> Result<(OperatorForm, Levels, Images), KernelError> {
    let (form, predicted_cycles, mut others) = match form {
        Some(form) => {
            form.check(host.config().core(), class)?;
            (form, None, Vec::new())
        }
        None => best(host, class)?,
    };
    let levels = Levels::new(host, class.points(), form)?;
    let images = Images::new(host, (class, form), &levels)?;
    others.extend(images.lack().map(|lack| OtherPlan {
        name: format!("{} in fewer programs", form.name()),
        outcome: Err(lack.to_owned()),
    }));
    let name = format!("{}, {}", form.name(), images.name());
    host.set_plan(ChosenPlan { name, predicted_cycles, others });
    Ok((form, levels, images))
}

/// Returns the best form, its predicted cycles if there are any, and the forms that were not chosen.
fn best(
    host: &Host,
    class: Class,
) -> Result<(OperatorForm, Option<f64>, Vec<OtherPlan>), KernelError> {
    let in_columns = [OperatorForm::Wide, OperatorForm::Fused];
    let compared = Compared::new((host, &format!("mg {class}, by trials")), &in_columns, class)?;
    let best = compared.possible.first();
    let (form, cycles) = best.map_or((OperatorForm::Plain, None), |&(form, c)| (form, Some(c)));
    Ok((form, cycles, compared.others()))
}

impl Plan for OperatorForm {
    type Work = Class;

    fn name(self) -> String {
        self.name().to_owned()
    }

    fn check(self, core: &Core, class: Class) -> Result<(), KernelError> {
        let Some(columns) = self.columns() else { return Ok(()) };
        let (name, needed) = (format!("mg, {}", self.name()), Records::WORDS);
        KernelError::require(&name, "words of local memory", needed, core.lmem_words())?;
        let n = class.points();
        if is_cut(n, columns) { Ok(()) } else { Err(ColumnArrangement::refused(n, columns)) }
    }

    /// Predicts the cycles of V-cycles by trials of one V-cycle with fewer pages.
    fn predicted(self, host: &Host, class: Class) -> Result<f64, KernelError> {
        let mut trial = host.trial();
        let levels = Levels::new(&mut trial, class.points(), self)?;
        let images = Images::new(&mut trial, (class, self), &levels)?;
        program::predicted_cycles(&mut trial, class, &images, &levels)
    }
}
