//! Matrix products on one thread, a safe view of the `gemm` crate.

/// Strides of a matrix in its slice: elements to the next row, elements to the next column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Strides {
    pub(crate) row: usize,
    pub(crate) column: usize,
}

impl Strides {
    /// Row-major with the given distance between rows.
    pub(crate) fn rows(row: usize) -> Self {
        Self { row, column: 1 }
    }

    /// The transpose of a row-major matrix with the given distance between its rows.
    pub(crate) fn transposed(row: usize) -> Self {
        Self { row: 1, column: row }
    }

    /// Elements a slice must have to hold `rows × columns`.
    fn extent(self, rows: usize, columns: usize) -> usize {
        (rows - 1) * self.row + (columns - 1) * self.column + 1
    }
}

/// Where a product is written: a row-major window of a larger matrix that several threads fill side by side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    start: *mut f32,
    row: usize,
}

/// `output[m, n] = left[m, k] · right[k, n]` on the calling thread.
pub(crate) fn multiply(
    [m, n, k]: [usize; 3],
    (left, left_strides): (&[f32], Strides),
    (right, right_strides): (&[f32], Strides),
    output: &mut [f32],
    output_row: usize,
) {
    if m == 0 || n == 0 {
        return;
    }
    assert!(Strides::rows(output_row).extent(m, n) <= output.len() && n <= output_row);
    let window = Window { start: output.as_mut_ptr(), row: output_row };
    #[allow(unsafe_code)]
    // SAFETY: `output` is borrowed exclusively and has been checked to hold the window.
    unsafe {
        multiply_into([m, n, k], (left, left_strides), (right, right_strides), window);
    }
}

/// Like [`multiply`], into a window.
///
/// # Safety
/// The window's `m × n` values must be valid for writes and touched by nobody else during the call.
#[allow(unsafe_code)]
pub(crate) unsafe fn multiply_into(
    [m, n, k]: [usize; 3],
    (left, left_strides): (&[f32], Strides),
    (right, right_strides): (&[f32], Strides),
    window: Window,
) {
    if m == 0 || n == 0 {
        return;
    }
    assert!(k > 0 && left_strides.extent(m, k) <= left.len() && right_strides.extent(k, n) <= right.len());
    // SAFETY: both operands have been checked to lie inside their slices; the output is the caller's promise.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            window.start,
            1,
            window.row as isize,
            false,
            left.as_ptr(),
            left_strides.column as isize,
            left_strides.row as isize,
            right.as_ptr(),
            right_strides.column as isize,
            right_strides.row as isize,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// A row-major matrix whose column ranges are written by different threads.
#[derive(Debug)]
pub(crate) struct ColumnWriter<'a> {
    values: &'a mut [f32],
    rows: usize,
    columns: usize,
}

impl<'a> ColumnWriter<'a> {
    /// A writer over a `rows × columns` matrix.
    pub(crate) fn new(values: &'a mut [f32], rows: usize, columns: usize) -> Self {
        assert!(values.len() >= rows * columns);
        Self { values, rows, columns }
    }

    /// Cuts the matrix into ranges of `width` columns (the last may be narrower).
    pub(crate) fn split(self, width: usize) -> impl Iterator<Item = ColumnRange<'a>> {
        let Self { values, rows, columns } = self;
        let start = values.as_mut_ptr();
        (0..columns).step_by(width).map(move |first| ColumnRange {
            window: Window { start: start.wrapping_add(first), row: columns },
            rows,
            width: width.min(columns - first),
            matrix: std::marker::PhantomData,
        })
    }
}

/// An exclusive range of columns of a matrix, made by [`ColumnWriter::split`].
#[derive(Debug)]
pub(crate) struct ColumnRange<'a> {
    window: Window,
    rows: usize,
    width: usize,
    matrix: std::marker::PhantomData<&'a mut [f32]>,
}

#[allow(unsafe_code)]
// SAFETY: a range is the only way to its columns while the matrix is borrowed, like a `&mut` to them.
unsafe impl Send for ColumnRange<'_> {}

impl ColumnRange<'_> {
    /// `range = left[rows, k] · right[k, width]`.
    pub(crate) fn write_product(&mut self, k: usize, left: (&[f32], Strides), right: (&[f32], Strides)) {
        #[allow(unsafe_code)]
        // SAFETY: ranges of one matrix are disjoint and borrowed exclusively through `&mut self`.
        unsafe {
            multiply_into([self.rows, self.width, k], left, right, self.window);
        }
    }
}
