"""Curation: merge, dedup, migrate and backfill. A pure function decides, one function carries it out.

    plan         steps as values, and the one function that carries them out
    likeness     which notes say the same
    merge        one note in place of several that say the same, or are identical
    fields       a project key that was renamed, a source or machine that is missing

No model is used. Planning changes nothing, and planning twice gives the same plan.
"""

from anamnesis.curate.fields import plan_backfill, plan_migrate
from anamnesis.curate.merge import plan_dedup, plan_merge
from anamnesis.curate.plan import Applied, Plan, Step, apply_plan

__all__ = [
    "Applied",
    "Plan",
    "Step",
    "apply_plan",
    "plan_backfill",
    "plan_dedup",
    "plan_merge",
    "plan_migrate",
]
