//! Kernels against the same questions asked of every row by itself, for sizes on both sides of words, sections and registers.

use super::*;
use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_reference::star as reference;
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::load::cp2;
use cp2_session::random::split_mix_64;

fn execution() -> Execution {
    Execution { max_cycles: Some(20_000_000), ..Execution::on(Core::default()) }
}

fn with_shared_memory() -> Execution {
    let extensions = Extensions::SHARED_MEMORY;
    let core = Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).unwrap();
    Execution { max_cycles: Some(20_000_000), ..Execution::on(core) }
}

/// Returns a slice of which so many of a hundred rows are set.
fn slice(rows: usize, share: u64, state: &mut u64) -> Vec<u64> {
    let bits: Vec<bool> = (0..rows).map(|_| split_mix_64(state) % 100 < share).collect();
    reference::slice(rows, |row| bits[row])
}

fn table(rows: usize, columns: usize, share: u64, state: &mut u64) -> Vec<Vec<u64>> {
    (0..columns).map(|_| slice(rows, share, state)).collect()
}

#[test]
fn searches_find_the_best_rows() {
    let (on, mut state) = (with_shared_memory(), 1);
    for (rows, columns, share) in
        [(1024, 32, 50), (1000, 32, 2), (70, 5, 50), (300, 9, 0), (1300, 7, 100), (1, 1, 100)]
    {
        let layout = SliceLayout::new(rows);
        let operand = table(rows, columns, 50, &mut state);
        let x = slice(rows, share, &mut state);
        for form in [SearchForm::Plain, SearchForm::Shared, SearchForm::ByWords] {
            for is_maximum in [false, true] {
                let kernel = SearchKernel { form, is_maximum, layout, columns };
                let (found, _) = search(kernel, &operand, &x, &on).unwrap();
                let numbers = reference::numbers(&operand, rows);
                assert_eq!(found, reference::best(&numbers, &x, is_maximum), "{}", kernel.name());
            }
        }
    }
}

/// Returns number and truth of a row that a procedure is to give.
fn expected(procedure: ColumnProcedure, (t, f): (u64, u64), modulus: u64) -> (u64, bool) {
    match procedure {
        ColumnProcedure::Equal => (0, t == f),
        ColumnProcedure::Less => (0, t < f),
        ColumnProcedure::Greater | ColumnProcedure::Apart => (0, t > f),
        ColumnProcedure::Add | ColumnProcedure::AddInside => ((t + f) % modulus, t + f >= modulus),
        ColumnProcedure::Subtract | ColumnProcedure::SubtractInside => {
            ((t + modulus - f) % modulus, t < f)
        }
        ColumnProcedure::Merge => (t, false),
    }
}

#[test]
fn procedures_give_what_every_row_gives() {
    let (on, mut state) = (execution(), 2);
    for (rows, columns) in [(1024, 32), (70, 5), (300, 9), (4000, 3), (1, 1)] {
        let layout = SliceLayout::new(rows);
        let [first, other] = [0, 1].map(|_| table(rows, columns, 50, &mut state));
        let word: Vec<bool> = (0..columns).map(|_| split_mix_64(&mut state) % 2 == 1).collect();
        let x = slice(rows, 50, &mut state);
        let v = word.iter().fold(0, |sum, &bit| sum << 1 | u64::from(bit));
        let request = ColumnRequest { table: first.clone(), other: other.clone(), word, x };
        for (procedure, is_of_word) in ColumnProcedure::library() {
            let kernel = ColumnKernel { procedure, is_of_word, layout, columns };
            let found = go_through(kernel, &request, &on).unwrap();
            let numbers = reference::numbers(&found.table, rows);
            let (t, f) = (reference::numbers(&first, rows), reference::numbers(&other, rows));
            for row in 0..rows {
                let pair = match (is_of_word, procedure) {
                    (true, ColumnProcedure::Merge) => (v, t[row]),
                    (true, _) => (t[row], v),
                    (false, _) => (t[row], f[row]),
                };
                let (number, truth) = expected(procedure, pair, 1 << columns);
                let is_inside = reference::bit(&request.x, row);
                let others = match procedure {
                    ColumnProcedure::Merge => pair.1,
                    ColumnProcedure::AddInside | ColumnProcedure::SubtractInside => pair.0,
                    _ => 0,
                };
                if procedure.gives_table() {
                    let number = if is_inside { number } else { others };
                    assert_eq!(numbers[row], number, "{} {row}", kernel.name());
                }
                if procedure.has_carry() {
                    let truth = is_inside && truth;
                    assert_eq!(reference::bit(&found.slice, row), truth, "{} {row}", kernel.name());
                }
                if procedure == ColumnProcedure::Apart {
                    let is_less = is_inside && pair.0 < pair.1;
                    assert_eq!(reference::bit(&found.other, row), is_less, "{row}");
                }
            }
        }
    }
}

#[test]
fn copies_are_those_of_rows() {
    let (on, mut state) = (execution(), 6);
    for (rows, columns) in [(1024, 32), (70, 5), (300, 33), (4000, 3), (1, 1), (513, 130)] {
        let layout = SliceLayout::new(rows);
        let operand = table(rows, columns, 50, &mut state);
        let word: Vec<bool> = (0..columns).map(|_| split_mix_64(&mut state) % 2 == 1).collect();
        let x = slice(rows, 50, &mut state);
        let request = ColumnRequest { table: operand, word, x, ..Default::default() };
        let run =
            |procedure| copy(CopyKernel { procedure, layout, columns }, &request, &on).unwrap().0;
        assert!(run(CopyProcedure::Table) == request.table, "{rows}");
        assert!(run(CopyProcedure::Clear).iter().flatten().all(|&word| word == 0), "{rows}");
        let nothing = vec![0; rows.div_ceil(64)];
        let of_bit = |&bit: &bool| if bit { request.x.clone() } else { nothing.clone() };
        let expected: Vec<Vec<u64>> = request.word.iter().map(of_bit).collect();
        assert!(run(CopyProcedure::Word) == expected, "{rows}");
    }
}

#[test]
fn rows_are_read_and_written() {
    let (on, mut state) = (execution(), 7);
    for (rows, columns) in [(1024, 32), (70, 5), (300, 33), (1, 1), (513, 130), (600, 200)] {
        let layout = SliceLayout::new(rows);
        let operand = table(rows, columns, 50, &mut state);
        let word: Vec<bool> = (0..columns).map(|_| split_mix_64(&mut state) % 2 == 1).collect();
        for row in [0, rows / 3, rows / 2, rows - 1] {
            let kernel = RowKernel { is_write: false, layout, columns };
            let (found, _) = read_row(kernel, &operand, row, &on).unwrap();
            let bits = |column: usize| reference::bit(&operand[column], row);
            assert_eq!(found, reference::slice(columns, bits), "{rows} {columns} {row}");
            let kernel = RowKernel { is_write: true, ..kernel };
            let (found, _) = write_row(kernel, (&operand, &word), row, &on).unwrap();
            let bit = |column: usize, at: usize| match at == row {
                true => word[column],
                false => reference::bit(&operand[column], at),
            };
            let expected: Vec<Vec<u64>> =
                (0..columns).map(|c| reference::slice(rows, |at| bit(c, at))).collect();
            assert!(found == expected, "{rows} {columns} {row}");
        }
        let kernel = RowKernel { is_write: false, layout, columns };
        assert!(
            read_row(kernel, &operand, rows, &on)
                .unwrap_err()
                .to_string()
                .contains("rows count from 0")
        );
    }
}

#[test]
fn results_over_all_rows_are_those_of_a_plain_look() {
    let (on, mut state) = (with_shared_memory(), 3);
    for rows in [1, 64, 70, 300, 1024, 1300, 8192] {
        let layout = SliceLayout::new(rows);
        let mut slices = [0, 1, 50, 100].map(|share| slice(rows, share, &mut state)).to_vec();
        slices.push(reference::slice(rows, |row| row + 1 == rows));
        for x in slices {
            let first = reference::first(&x, rows);
            let count: usize = x.iter().map(|word| word.count_ones() as usize).sum();
            for (kernel, expected) in
                [(OverRows::Find, first), (OverRows::Number, count), (OverRows::Some, count.min(1))]
            {
                for way in [SectionExchange::Registers, SectionExchange::Shared] {
                    let (found, _) = over_rows((kernel, way), layout, &x, &on).unwrap();
                    assert_eq!(found, expected, "{} {rows}", kernel.name(way));
                }
            }
        }
    }
}

#[test]
fn closures_are_those_of_paths() {
    let (on, mut state) = (execution(), 4);
    for (rows, share) in [(1, 100), (6, 30), (64, 2), (100, 1), (131, 1), (300, 1)] {
        let operand = table(rows, rows, share, &mut state);
        let expected = reference::closure(&operand);
        for form in [ClosureForm::OnePivot, ClosureForm::Block(4), ClosureForm::Block(8)] {
            let (found, _) = close(form, &operand, &on).unwrap();
            assert!(found == expected, "{} {rows}", form.name());
        }
    }
}

/// Takes all pages of a matrix through local memory, block by block, without a channel; returns the closure, and the cycles.
fn close_by_pages(columns: &[Vec<u64>], on: &Execution) -> (Vec<Vec<u64>>, u64) {
    let plan = PagedClosure::new(SliceLayout::new(columns.len()), &on.core).unwrap();
    let image = on.environment.assemble(&on.core, "pages", &plan.source()).unwrap();
    let entries: Vec<_> = image.kernels.iter().map(|kernel| kernel.start).collect();
    let mut runner = KernelRunner::new(cp2(&on.core), on);
    runner.load(&image);
    let (layout, page) = (plan.layout(), plan.page_columns());
    let (mut all, mut cycles) = (columns.to_vec(), 0);
    all.resize(plan.pages() * page, Vec::new());
    for block in 0..plan.blocks() {
        let (side, word) = plan.side(block);
        let gather = usize::from(entries[2 + side].0);
        let at = plan.pivots_address();
        layout.write_all(&mut runner.state().lmem[at..], &all[plan.pivots(block)]);
        cycles += runner.call(entries[0], &[at + word, 0, 0, gather]).unwrap().cycles;
        for number in 0..plan.pages() {
            let (at, columns) = (plan.page_address(number), number * page..(number + 1) * page);
            layout.write_all(&mut runner.state().lmem[at..], &all[columns.clone()]);
            cycles += runner.call(entries[1], &[at, at + word, 0, gather]).unwrap().cycles;
            let found = layout.read_all(&runner.state().lmem[at..], page);
            all.splice(columns, found);
        }
    }
    all.truncate(columns.len());
    (all, cycles)
}

#[test]
fn closures_by_pages_are_those_of_paths() {
    let (on, mut state) = (execution(), 5);
    for (rows, share) in [(1, 100), (33, 10), (131, 1), (300, 1), (1400, 1)] {
        let mut operand = table(rows, rows, share, &mut state);
        if rows > 500 {
            // A ring of some vertices, so that the closure is neither empty nor full.
            operand =
                (0..rows).map(|c| reference::slice(rows, |r| r % 7 == 0 && r == c + 7)).collect();
        }
        let (found, cycles) = close_by_pages(&operand, &on);
        assert!(found == reference::closure(&operand), "{rows}");
        let plan = PagedClosure::new(SliceLayout::new(rows), &on.core).unwrap();
        let least = plan.blocks()
            * (plan.block_bound() + plan.pages() * plan.page_columns() * plan.column_bound());
        assert!(
            cycles >= least as u64 && cycles < 2 * least as u64,
            "{rows}: {cycles}, least {least}"
        );
    }
}

#[test]
fn what_does_not_fit_is_refused_with_its_limit() {
    let on = execution();
    let kernel = SearchKernel {
        form: SearchForm::ByWords,
        is_maximum: false,
        layout: SliceLayout::new(64),
        columns: 33,
    };
    let message = |result: Result<(), cp2_session::KernelError>| result.unwrap_err().to_string();
    let refused = search(kernel, &[], &[], &on).map(drop);
    assert_eq!(message(refused), "number of columns is 33; it must be at most 32 by words");
    let kernel = SearchKernel { layout: SliceLayout::new(2049), columns: 1, ..kernel };
    assert!(message(search(kernel, &[], &[], &on).map(drop)).contains("at most 2048"));
    let layout = SliceLayout::new(1366);
    let matrix = ClosureForm::OnePivot.check(layout, &on.core);
    assert_eq!(
        message(matrix),
        "words of local memory is 8196; it must be at most 8192, so take fewer rows or columns"
    );
    let pages = PagedClosure::new(SliceLayout::new(20_000), &on.core).map(drop).unwrap_err();
    assert!(
        pages
            .to_string()
            .starts_with("number of rows is 20000; it must be at most 8192, for which"),
        "{pages}"
    );
    let registers = ClosureForm::Block(8).check(SliceLayout::new(1025), &on.core);
    assert!(message(registers).contains("words of local memory"));
}
