/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What check=sync says of barriers and .sync instructions that threads do not come to. */
#ifndef CPU_SYNC_H
#define CPU_SYNC_H

#include "access.h"
#include "config.h"

/* Tells whether the lanes that run may pass the aligned barrier at @ip: all of their warp are
 * there, or it passes in parts (sync_unstick()). If not, they have to wait for the rest. */
bool sync_together(const struct warp *w, const struct op *ip);

/* The @lanes read registers of lanes that do not take part at @ip. */
void sync_absent(struct warp *w, const struct op *ip, uint32_t lanes);

/* The @lanes are at @ip but not in their own member mask. */
void sync_stranger(struct warp *w, const struct op *ip, uint32_t lanes);

/*
 * No thread of @cta can go on. Lets a warp that has not come together pass its
 * barrier in parts, or ends the CTA; a finding either way.
 */
void sync_unstick(struct cta *cta);

/* No thread of @w's cluster can go on: @w goes round for ever (deadlock.h). Ends all; a finding. */
void sync_end_spin(const struct warp *w);

#endif
