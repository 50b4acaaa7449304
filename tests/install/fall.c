// A user's program: a ball falls onto the ground and stays there.
#include <moraine/moraine.h>
#include <stdio.h>

int main(void) {
    MrnError error = {0};
    MrnModel *model = mrn_model_new(2);
    MrnShape disc = mrn_shape_defaults(MRN_SHAPE_DISC), plane = mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
    MrnBodyDef ball = mrn_body_defaults(2), ground = mrn_body_defaults(2);
    disc.radius = 0.1;
    ball.position[1] = 1, ball.shape_count = 1, ball.shapes = &disc;
    ground.kind = MRN_BODY_FIXED, ground.shape_count = 1, ground.shapes = &plane;
    mrn_model_set_gravity(model, (double[3]){0, -9.81, 0});
    mrn_model_add_material(model, "rubber", 1000);
    int index = mrn_model_add_body(model, &ball, &error);
    mrn_model_add_body(model, &ground, &error);
    MrnScheme scheme = mrn_scheme_defaults();
    MrnWorld *world = mrn_world_new(model, &scheme, &error);
    MrnStepInfo info = {0};
    while (world && mrn_world_time(world) < 1)
        if (!mrn_world_step(world, &info, &error)) break;
    double height = world ? mrn_world_position(world, index)[1] : 0;
    printf("t = %g s, height %.9f m %s\n", info.time, height, error.message);
    mrn_world_free(world);
    mrn_model_free(model);
    return height > 0.1 - 1e-6 && height < 0.1 + 1e-6 ? 0 : 1;
}
