/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* check=sync: barriers and .sync instructions at which threads do not arrive. */
#ifndef CPU_SYNC_H
#define CPU_SYNC_H

#include "access.h"
#include "config.h"

/* Tells whether the running lanes may pass the aligned barrier at @ip: all of their warp are there,
 * or sync_resolve_deadlock() has split it. If not, they have to wait for the rest. */
bool sync_together(const struct warp *w, const struct op *ip);

/* Reports that @lanes read registers of lanes that are not at @ip. */
void sync_absent(struct warp *w, const struct op *ip, uint32_t lanes);

/* Reports that the running lanes arrive at barrier @id for more threads than there are: @count. */
void sync_unmet(struct warp *w, const struct op *ip, uint32_t id, uint32_t count);

/* Reports that @lanes are at @ip but not in their own member mask. */
void sync_nonmember(struct warp *w, const struct op *ip, uint32_t lanes);

/*
 * No thread of @cta can continue. Lets lanes that wait for the rest of their warp at an
 * aligned barrier pass it, or ends the CTA; a finding either way.
 */
void sync_resolve_deadlock(struct cta *cta);

/* No thread of @w's cluster makes progress: @w loops for ever (deadlock.h). Ends all; a finding. */
void sync_end_spin(const struct warp *w);

#endif
