//! Draws a window on the processor alone, the same on every machine: textured triangles, blended in order.

use egui::epaint::{ImageData, Primitive, Vertex};
use egui::{Color32, FullOutput, Mesh, Pos2, Rect, TextureId, TexturesDelta};
use egui_kittest::TestRenderer;
use image::{Rgba, RgbaImage};
use std::collections::HashMap;

/// A texture: its width, its height, its texels.
type Texture = (usize, usize, Vec<Color32>);

/// Draws windows.
#[derive(Default)]
pub(crate) struct Raster {
    textures: HashMap<TextureId, Texture>,
}

impl TestRenderer for Raster {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        for (id, parts) in delta.set.drain() {
            for part in parts {
                let ImageData::Color(image) = &part.image;
                let [width, height] = image.size;
                let Some([x, y]) = part.pos else {
                    self.textures.insert(id, (width, height, image.pixels.clone()));
                    continue;
                };
                if let Some((whole, _, texels)) = self.textures.get_mut(&id) {
                    for row in 0..height {
                        let to = (y + row) * *whole + x;
                        let from = &image.pixels[row * width..(row + 1) * width];
                        texels[to..to + width].copy_from_slice(from);
                    }
                }
            }
        }
        for id in delta.free.drain() {
            self.textures.remove(&id);
        }
    }

    fn render(&mut self, ctx: &egui::Context, output: &FullOutput) -> Result<RgbaImage, String> {
        let size = ctx.content_rect().size();
        let mut image = RgbaImage::from_pixel(size.x as u32, size.y as u32, Rgba([0, 0, 0, 255]));
        for primitive in ctx.tessellate(output.shapes.clone(), 1.0) {
            if let Primitive::Mesh(mesh) = &primitive.primitive {
                let texture = self.textures.get(&mesh.texture_id);
                let texture = texture.ok_or_else(|| format!("no texture {:?}", mesh.texture_id))?;
                draw(&mut image, mesh, primitive.clip_rect, texture);
            }
        }
        Ok(image)
    }
}

fn draw(image: &mut RgbaImage, mesh: &Mesh, clip: Rect, texture: &Texture) {
    let whole =
        Rect::from_min_size(Pos2::ZERO, egui::vec2(image.width() as f32, image.height() as f32));
    let clip = Rect::from_min_max(clip.min.round(), clip.max.round()).intersect(whole);
    let (triangles, _) = mesh.indices.as_chunks::<3>();
    for corners in triangles {
        triangle(image, corners.map(|k| &mesh.vertices[k as usize]), clip, texture);
    }
}

/// Returns twice the signed area of a triangle.
fn area(a: Pos2, b: Pos2, c: Pos2) -> f32 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

fn triangle(
    image: &mut RgbaImage,
    corners: [&Vertex; 3],
    clip: Rect,
    (width, height, texels): &Texture,
) {
    let [a, b, c] = corners.map(|corner| corner.pos);
    let whole = area(a, b, c);
    let bounds = Rect::from_points(&[a, b, c]).intersect(clip);
    if whole == 0.0 || !bounds.is_positive() {
        return;
    }
    for y in bounds.top().floor() as i32..bounds.bottom().ceil() as i32 {
        for x in bounds.left().floor() as i32..bounds.right().ceil() as i32 {
            let at = Pos2::new(x as f32 + 0.5, y as f32 + 0.5);
            let weights = [area(b, c, at), area(c, a, at), area(a, b, at)].map(|w| w / whole);
            if !clip.contains(at)
                || weights.iter().any(|&w| w < 0.0)
                || on_other_edge(&weights, corners, whole)
            {
                continue;
            }
            let mix = |value: &dyn Fn(&Vertex) -> f32| -> f32 {
                corners.iter().zip(weights).map(|(corner, w)| value(corner) * w).sum()
            };
            let (u, v) = (mix(&|k| k.uv.x), mix(&|k| k.uv.y));
            let texel = |part: f32, size: usize| ((part * size as f32) as usize).min(size - 1);
            let texel = texels[texel(v, *height) * width + texel(u, *width)].to_array();
            let tint = [0, 1, 2, 3].map(|k| mix(&|corner| f32::from(corner.color.to_array()[k])));
            let source = [0, 1, 2, 3].map(|k| f32::from(texel[k]) / 255.0 * tint[k]);
            let pixel = image.get_pixel_mut(x as u32, y as u32);
            for (k, to) in pixel.0.iter_mut().take(3).enumerate() {
                *to = (source[k] + f32::from(*to) * (1.0 - source[3] / 255.0))
                    .round()
                    .clamp(0.0, 255.0) as u8;
            }
        }
    }
}

/// Whether a point is on an edge that belongs to another triangle; a point on an edge belongs to one of the two triangles
/// there.
fn on_other_edge(weights: &[f32; 3], corners: [&Vertex; 3], whole: f32) -> bool {
    let edge = |k: usize| {
        let (from, to) = (corners[(k + 1) % 3].pos, corners[(k + 2) % 3].pos);
        let (dx, dy) = ((to.x - from.x) * whole.signum(), (to.y - from.y) * whole.signum());
        dy > 0.0 || dy == 0.0 && dx < 0.0
    };
    (0..3).any(|k| weights[k] == 0.0 && edge(k))
}
